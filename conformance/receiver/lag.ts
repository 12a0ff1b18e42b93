/** Tells what of the time that passed was the machine's own: its other work, or this process's. */
export interface LagMeter {
  /** Ms by which this process was late with its own timers since the meter began, all in all. */
  lagMs(): number
  stop(): void
}

const periodMs = 50
/** Timers are a little late on an idle machine too. */
const usualMs = 10

/** `repeat` calls after each period until it is stopped, and `now` is in ms; those of the process unless given. */
export function startLagMeter({
  now = () => performance.now(),
  repeat = repeatedly,
}: {
  readonly now?: () => number
  readonly repeat?: (call: () => void, ms: number) => () => void
} = {}): LagMeter {
  let lagMs = 0
  let dueAt = now() + periodMs
  const lateMs = () => Math.max(0, now() - dueAt - usualMs)
  const stop = repeat(() => {
    lagMs += lateMs()
    dueAt = now() + periodMs
  }, periodMs)
  return { lagMs: () => lagMs + lateMs(), stop }
}

function repeatedly(call: () => void, ms: number): () => void {
  const timer = setInterval(call, ms).unref()
  return () => clearInterval(timer)
}

/** A message may be signed up to five seconds from the edge of the window, and is to be read on that side of it. */
const mostLagMs = 4_000

/** Whether what is wrong with an exchange may be the machine's fault: late, or read late, for the machine's lag alone. */
export const isHeldUp = (
  { wholeMs, lagMs }: { readonly wholeMs: number; readonly lagMs: number },
  deadlineMs: number,
): boolean => lagMs > mostLagMs || (wholeMs > deadlineMs && wholeMs - lagMs <= deadlineMs)
