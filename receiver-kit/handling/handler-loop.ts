import type { InboxTurn } from '@countersign/core/ports'
import { createPump, type Drained, type PumpOptions } from './pump.ts'
import { createSignal } from './signal.ts'

export interface HandlerLoopOptions extends PumpOptions {
  /** Ms between looks for entries whose retry is due, or that another process left behind. */
  readonly pollMs: number
}

/** Runs the customer's handler over what the inbox hands out, at least once each. */
export interface HandlerLoop {
  /** Keeps handling until `stop`. */
  start(): void
  /** Takes nothing more; resolves when the handlers that run have ended. */
  stop(): Promise<void>
  /** Handles all whose turn has come, then ends: for hosts that keep no process (Lambda, Workers, cron). */
  drain(): Promise<Drained>
  /** Something was stored. */
  wake(): void
  /** Whether it was started and not stopped. */
  running(): boolean
  /** Handlers that run, of `drain` too. */
  handling(): number
}

export function createHandlerLoop(
  options: HandlerLoopOptions,
  run: (turn: InboxTurn) => Promise<void>,
): HandlerLoop {
  const { clock, observer, pollMs } = options
  const signal = createSignal(clock)
  let started = false
  let ended: Promise<void> = Promise.resolve()
  let woken = false
  let handling = 0

  async function handle(turn: InboxTurn): Promise<void> {
    handling += 1
    try {
      await run(turn)
    } finally {
      handling -= 1
    }
  }

  async function keepHandling(): Promise<void> {
    const pump = createPump(options, handle, signal.raise)
    while (started) {
      try {
        await pump.fill()
      } catch (error) {
        observer.event('inbox.failed', { id: null, detail: String(error) })
      }
      if (started) await signal.wait(pollMs)
    }
    await pump.idle()
  }

  return {
    running: () => started,
    handling: () => handling,

    start() {
      if (started) return
      started = true
      ended = ended.then(keepHandling)
    },

    async stop() {
      started = false
      signal.raise()
      await ended
    },

    // Shares no promise with other calls: a worker may not wait for what belongs to another request.
    async drain() {
      const progress = createSignal(clock)
      const pump = createPump(options, handle, progress.raise)
      while ((await pump.fill()) > 0 || pump.unsettled() > 0) await progress.wait(pollMs)
      return pump.drained()
    },

    wake() {
      if (!started || woken) return
      woken = true
      // What is stored in one turn of the event loop is taken together.
      clock.after(0, () => {
        woken = false
        signal.raise()
      })
    },
  }
}
