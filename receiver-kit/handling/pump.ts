import type { Clock, Inbox, InboxTopic, InboxTurn, Settled } from '@countersign/core/ports'
import type { ReceiverObserver } from '../observed-events.ts'
import type { InboxHealth } from './inbox-health.ts'

export interface PumpOptions {
  readonly topic: InboxTopic
  readonly inbox: Inbox
  readonly clock: Clock
  readonly observer: ReceiverObserver
  readonly health: InboxHealth
  /** Concurrent handlers; handlers of one case never run concurrently. */
  readonly concurrency: number
  /** Lease of an entry in ms; renewed while its handler runs. */
  readonly holdMs: number
  /** Backoff in ms after this attempt (from 1) failed. */
  readonly retryAfterMs: (attempt: number) => number
}

/** Counts of settled turns; stale completions count in neither. */
export interface Drained {
  readonly handled: number
  readonly failed: number
}

/** Takes entries from the inbox and runs the handler for each. */
export interface Pump {
  /** Fills free slots and returns how many entries were taken. Not reentrant. */
  fill(): Promise<number>
  /** Number of entries taken and not settled. */
  unsettled(): number
  /** Resolves when every taken entry is settled. */
  idle(): Promise<void>
  /** Counts of settled entries. */
  drained(): Drained
}

/** A running handler, or one whose completion is being written. */
interface Run {
  /** The entry's newest turn taken here; its attempt is the fencing token to settle with. */
  turn: InboxTurn
  ended: Promise<void>
}

const maxReason = 500

/** Most unsettled entries per slot: a handler frees its slot before its completion is written. */
const maxUnsettled = 8

/** Creates a pump; `onProgress` is called when a slot becomes free and when an entry is settled. */
export function createPump(
  options: PumpOptions,
  handle: (turn: InboxTurn) => Promise<void>,
  onProgress: () => void,
): Pump {
  const { topic, inbox, clock, observer, concurrency, holdMs } = options
  const runs = new Map<string, Run>()
  let active = 0
  let handled = 0
  let failed = 0
  let cancelRenewal: (() => void) | null = null

  function launch(turn: InboxTurn, after: Promise<void>): void {
    const { id } = turn.entry
    const running = runs.get(id)
    if (running) {
      // The hold expired while the handler still runs here: adopt the new turn instead of running it twice.
      running.turn = turn
      return
    }
    active += 1
    const own: Run = { turn, ended: after }
    runs.set(id, own)
    own.ended = run(own, after)
    renewHolds()
  }

  async function run(own: Run, after: Promise<void>): Promise<void> {
    await after
    const failure = await failureOf(own.turn)
    active -= 1
    onProgress()
    await settle(own, failure)
    runs.delete(own.turn.entry.id)
    // A pending timer would keep the process alive.
    if (runs.size === 0) endRenewal()
    onProgress()
  }

  async function failureOf(turn: InboxTurn): Promise<string | null> {
    try {
      await handle(turn)
      return null
    } catch (error) {
      return String(error).slice(0, maxReason)
    }
  }

  async function settle(own: Run, failure: string | null): Promise<void> {
    const { turn } = own
    const { attempt, entry } = turn
    const { id, type } = entry
    const now = clock.now()
    const retryAt = failure === null ? now : now + options.retryAfterMs(attempt)
    let told: Settled | null = null
    try {
      told = await (failure === null
        ? inbox.handled({ id, attempt }, now)
        : inbox.failed({ id, attempt }, retryAt, failure))
    } catch (error) {
      // The entry is taken again when its hold ends.
      observer.event('inbox.failed', { id, detail: String(error) })
    }
    if (told === 'stale') {
      // Taken again here while this was being written: settle the newer turn.
      if (own.turn !== turn) await settle(own, failure)
      else observer.event('handler.stale_completion', { id, type, attempt, detail: failure })
      return
    }
    if (failure === null && told === 'settled') {
      handled += 1
      observer.event('handler.done', { id, type, attempt })
      return
    }
    failed += 1
    if (failure !== null)
      observer.event('handler.failed', { id, type, attempt, retryAt, detail: failure })
  }

  function renewHolds(): void {
    cancelRenewal ??= clock.after(holdMs / 3, () => {
      cancelRenewal = null
      renewHolds()
      inbox
        .hold(
          Array.from(runs.values(), ({ turn: { entry, attempt } }) => ({ id: entry.id, attempt })),
          clock.now() + holdMs,
        )
        .catch((error: unknown) => {
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
      const limit = Math.min(concurrency - active, concurrency * maxUnsettled - runs.size)
      if (limit <= 0) return 0
      const now = clock.now()
      const turns = await options.health.watch(
        inbox.take({ topic, now, holdUntil: now + holdMs, limit }),
      )
      if (turns.length === 0) return 0
      // Yields once, so that acknowledgements are written before handlers start.
      const after = new Promise<void>((resolve) => clock.after(0, resolve))
      for (const turn of turns) launch(turn, after)
      return turns.length
    },
    unsettled: () => runs.size,
    async idle() {
      await Promise.all(Array.from(runs.values(), ({ ended }) => ended))
    },
    drained: () => ({ handled, failed }),
  }
}
