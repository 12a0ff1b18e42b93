import type { InboxTurn } from '@countersign/core/ports'
import { createPump, type Drained, type PumpOptions } from './pump.ts'
import { createSignal } from './signal.ts'

export interface HandlerLoopOptions extends PumpOptions {
  /** Ms between polls for due retries and expired holds of other processes. */
  readonly pollMs: number
}

/** Runs the handler for each entry of the inbox, at least once. */
export interface HandlerLoop {
  /** Handles entries until `stop`. */
  start(): void
  /** Takes no more entries; resolves when running handlers have ended. */
  stop(): Promise<void>
  /** Handles all due entries, then resolves: for hosts without a long-lived process (Lambda, Workers, cron). */
  drain(): Promise<Drained>
  /** Takes entries without waiting for the next poll. */
  wake(): void
  /** Whether it is started. */
  running(): boolean
  /** Number of running handlers, those of `drain` included. */
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

    // Shares no promise with other calls: Workers forbid awaiting I/O of another request.
    async drain() {
      const progress = createSignal(clock)
      const pump = createPump(options, handle, progress.raise)
      while ((await pump.fill()) > 0 || pump.unsettled() > 0) await progress.wait(pollMs)
      return pump.drained()
    },

    wake() {
      if (!started || woken) return
      woken = true
      // One take for all entries stored in the same tick.
      clock.after(0, () => {
        woken = false
        signal.raise()
      })
    },
  }
}
