import type { Clock, Inbox, InboxTopic, InboxTurn, Settled } from '@countersign/core/ports'
import type { ReceiverObserver } from '../observed-events.ts'
import type { InboxHealth } from './inbox-health.ts'

export interface PumpOptions {
  readonly topic: InboxTopic
  readonly inbox: Inbox
  readonly clock: Clock
  readonly observer: ReceiverObserver
  readonly health: InboxHealth
  /** Handlers that run at once; those of one case never do. */
  readonly concurrency: number
  /** Ms for which an entry is kept from others; renewed while its handler runs. */
  readonly holdMs: number
  /** Ms to wait after the failure of this attempt (from 1). */
  readonly retryAfterMs: (attempt: number) => number
}

/** An ending that came after another turn of its entry had begun is in neither. */
export interface Drained {
  readonly handled: number
  readonly failed: number
}

/** Takes entries from the inbox and runs a handler over each. */
export interface Pump {
  /** Takes what there are free slots for and starts its handlers; answers how many. Not to be called twice at once. */
  fill(): Promise<number>
  /** Entries taken and not settled yet. */
  unsettled(): number
  /** Resolves when all that was taken is settled. */
  idle(): Promise<void>
  /** What became of the settled ones. */
  drained(): Drained
}

/** A handler that runs, or whose end is still being written down. */
interface Run {
  /** Of its entry, the last one that was handed out here: the one that may be settled. */
  turn: InboxTurn
  ended: Promise<void>
}

const maxReason = 500

/** A handler's end frees its slot; what is still being written down may be this many times the slots. */
const maxUnsettled = 8

/** `onProgress` is called when a slot is free again and when an entry is settled. */
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
      // Its hold ran out while its handler still runs here: running it beside itself helps nobody.
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
    // A timer left behind would keep the process from ending.
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
      // The entry comes again when its hold ends.
      observer.event('inbox.failed', { id, detail: String(error) })
    }
    if (told === 'stale') {
      // Handed out here once more while this was being written: that turn's handler is the one that ended.
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
      // A turn of the event loop, in which the acknowledgement of what was taken the moment it was stored goes out.
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
