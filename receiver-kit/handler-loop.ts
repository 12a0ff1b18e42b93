import type { Clock, Inbox, InboxTopic, InboxTurn, Observer } from '@countersign/core/ports'

export interface HandlerLoopOptions {
  readonly topic: InboxTopic
  readonly inbox: Inbox
  readonly clock: Clock
  readonly observer: Observer
  /** Handlers that run at once; those of one case never do. */
  readonly concurrency: number
  /** Ms for which an entry is kept from other processes; renewed while its handler runs. */
  readonly holdMs: number
  /** Ms between looks for entries whose retry is due, or that another process left behind. */
  readonly pollMs: number
  /** Ms to wait after the failure of this attempt (from 1). */
  readonly retryAfterMs: (attempt: number) => number
}

export interface Drained {
  readonly handled: number
  readonly failed: number
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
}

const maxReason = 500

export function createHandlerLoop(
  options: HandlerLoopOptions,
  handle: (turn: InboxTurn) => Promise<void>,
): HandlerLoop {
  const { topic, inbox, clock, observer, concurrency, holdMs, pollMs } = options
  const running = new Map<string, Promise<boolean>>()
  let started = false
  let stopped: Promise<void> = Promise.resolve()
  let cancelRenewal: (() => void) | null = null
  let filling: Promise<unknown> = Promise.resolve()
  let woken = false
  let nudged = false
  let nudge = () => {
    nudged = true
  }

  /** Hands out what there are free slots for; one call at a time, so that two never fill the same slot. */
  function fill(onEnd: (ok: boolean) => void): Promise<number> {
    const filled = filling.then(async () => {
      const limit = concurrency - running.size
      if (limit <= 0) return 0
      const now = clock.now()
      const turns = await inbox.take({ topic, now, holdUntil: now + holdMs, limit })
      if (turns.length === 0) return 0
      // A turn of the event loop, in which the acknowledgement of what was taken the moment it was stored goes out.
      const after = new Promise<void>((resolve) => clock.after(0, resolve))
      for (const turn of turns) launch(turn, after, onEnd)
      return turns.length
    })
    filling = filled.catch(() => undefined)
    return filled
  }

  function launch(turn: InboxTurn, after: Promise<void>, onEnd: (ok: boolean) => void): void {
    const { id } = turn.entry
    // Its hold ran out while its handler still runs here: running it beside itself helps nobody.
    if (running.has(id)) return
    const run = settle(turn, after).then((ok) => {
      running.delete(id)
      onEnd(ok)
      nudge()
      return ok
    })
    running.set(id, run)
    renewHolds()
  }

  async function settle(turn: InboxTurn, after: Promise<void>): Promise<boolean> {
    const { attempt, entry } = turn
    const { id, type } = entry
    let failure: unknown
    await after
    try {
      await handle(turn)
    } catch (error) {
      failure = error ?? new Error('the handler threw nothing')
    }
    try {
      if (failure === undefined) {
        await inbox.handled(id, clock.now())
        observer.event('handler.done', { id, type, attempt })
        return true
      }
      const reason = String(failure).slice(0, maxReason)
      const retryAt = clock.now() + options.retryAfterMs(attempt)
      observer.event('handler.failed', { id, type, attempt, retryAt, detail: reason })
      await inbox.failed(id, retryAt, reason)
    } catch (error) {
      // The entry comes again when its hold ends.
      observer.event('inbox.failed', { id, detail: String(error) })
    }
    return false
  }

  function renewHolds(): void {
    cancelRenewal ??= clock.after(holdMs / 3, () => {
      cancelRenewal = null
      if (running.size === 0) return
      renewHolds()
      inbox.hold([...running.keys()], clock.now() + holdMs).catch((error: unknown) => {
        observer.event('inbox.failed', { id: null, detail: String(error) })
      })
    })
  }

  /** A timer left behind would keep the process from ending. */
  function endRenewal(): void {
    if (running.size > 0) return
    cancelRenewal?.()
    cancelRenewal = null
  }

  function nap(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        cancel()
        nudge = () => {
          nudged = true
        }
        nudged = false
        resolve()
      }
      const cancel = clock.after(ms, end)
      nudge = end
      if (nudged) end()
    })
  }

  async function loop(): Promise<void> {
    while (started) {
      try {
        await fill(() => {})
      } catch (error) {
        observer.event('inbox.failed', { id: null, detail: String(error) })
      }
      if (started) await nap(pollMs)
    }
    await Promise.all(running.values())
    endRenewal()
  }

  return {
    start() {
      if (started) return
      started = true
      stopped = stopped.then(loop)
    },

    async stop() {
      started = false
      nudge()
      await stopped
    },

    async drain() {
      let handled = 0
      let failed = 0
      const count = (ok: boolean) => {
        if (ok) handled += 1
        else failed += 1
      }
      // Takes again after each end: it may have freed the next entry of its case.
      while ((await fill(count)) > 0 || running.size > 0)
        if (running.size > 0) await Promise.race(running.values())
      endRenewal()
      return { handled, failed }
    },

    wake() {
      // What is stored in one turn of the event loop is taken together.
      if (!started || woken) return
      woken = true
      clock.after(0, () => {
        woken = false
        nudge()
      })
    },
  }
}
