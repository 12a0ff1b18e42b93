import type { Clock, Inbox, InboxTopic, InboxTurn, Observer } from '@countersign/core/ports'

export interface PumpOptions {
  readonly topic: InboxTopic
  readonly inbox: Inbox
  readonly clock: Clock
  readonly observer: Observer
  /** Handlers that run at once; those of one case never do. */
  readonly concurrency: number
  /** Ms for which an entry is kept from others; renewed while its handler runs. */
  readonly holdMs: number
  /** Ms to wait after the failure of this attempt (from 1). */
  readonly retryAfterMs: (attempt: number) => number
}

/** Takes entries from the inbox and runs a handler over each. */
export interface Pump {
  /** Takes what there are free slots for and starts its handlers; answers how many. Not to be called twice at once. */
  fill(): Promise<number>
  /** Handlers that run. */
  running(): number
  /** Resolves when all that run have ended. */
  idle(): Promise<void>
}

const maxReason = 500

/** `onEnd` is called as each handler has ended and its entry is settled. */
export function createPump(
  options: PumpOptions,
  handle: (turn: InboxTurn) => Promise<void>,
  onEnd: (handled: boolean) => void,
): Pump {
  const { topic, inbox, clock, observer, concurrency, holdMs } = options
  const runs = new Map<string, Promise<void>>()
  let cancelRenewal: (() => void) | null = null

  function launch(turn: InboxTurn, after: Promise<void>): void {
    const { id } = turn.entry
    // Its hold ran out while its handler still runs here: running it beside itself helps nobody.
    if (runs.has(id)) return
    const run = settle(turn, after).then((handled) => {
      runs.delete(id)
      // A timer left behind would keep the process from ending.
      if (runs.size === 0) endRenewal()
      onEnd(handled)
    })
    runs.set(id, run)
    renewHolds()
  }

  async function settle(turn: InboxTurn, after: Promise<void>): Promise<boolean> {
    const { id, type } = turn.entry
    const { attempt } = turn
    await after
    const failure = await failureOf(turn)
    try {
      if (failure === null) {
        await inbox.handled(id, clock.now())
        observer.event('handler.done', { id, type, attempt })
        return true
      }
      const retryAt = clock.now() + options.retryAfterMs(attempt)
      observer.event('handler.failed', { id, type, attempt, retryAt, detail: failure })
      await inbox.failed(id, retryAt, failure)
    } catch (error) {
      // The entry comes again when its hold ends.
      observer.event('inbox.failed', { id, detail: String(error) })
    }
    return false
  }

  async function failureOf(turn: InboxTurn): Promise<string | null> {
    try {
      await handle(turn)
      return null
    } catch (error) {
      return String(error).slice(0, maxReason)
    }
  }

  function renewHolds(): void {
    cancelRenewal ??= clock.after(holdMs / 3, () => {
      cancelRenewal = null
      renewHolds()
      inbox.hold([...runs.keys()], clock.now() + holdMs).catch((error: unknown) => {
        observer.event('inbox.failed', { id: null, detail: String(error) })
      })
    })
  }

  function endRenewal(): void {
    cancelRenewal?.()
    cancelRenewal = null
  }

  return {
    async fill() {
      const limit = concurrency - runs.size
      if (limit <= 0) return 0
      const now = clock.now()
      const turns = await inbox.take({ topic, now, holdUntil: now + holdMs, limit })
      if (turns.length === 0) return 0
      // A turn of the event loop, in which the acknowledgement of what was taken the moment it was stored goes out.
      const after = new Promise<void>((resolve) => clock.after(0, resolve))
      for (const turn of turns) launch(turn, after)
      return turns.length
    },
    running: () => runs.size,
    async idle() {
      await Promise.all(runs.values())
    },
  }
}
