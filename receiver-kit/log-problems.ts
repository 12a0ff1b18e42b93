import type { ReceiverEvents, ReceiverObserver } from './observed-events.ts'

const problems: ReadonlySet<keyof ReceiverEvents> = new Set<keyof ReceiverEvents>([
  'receiver.refused',
  'receiver.store_slow',
  'receiver.store_failed',
  'receiver.unreadable',
  'receiver.body_differs',
  'receiver.on_problem_failed',
  'handler.failed',
  'handler.stale_completion',
  'inbox.failed',
])

/** Writes the problems, one line each, to the console or to `write`; the fields hold no secrets and no bodies. */
export function logProblems(write: (line: string) => void = console.warn): ReceiverObserver {
  return {
    event(name, fields) {
      if (problems.has(name)) write(`countersign ${name} ${JSON.stringify(fields)}`)
    },
  }
}
