import { type CalledBack, outcomeOfCallback, type ReviewOutcome } from './outcome.ts'
import { sameJson } from './same-json.ts'

/** Listens for the outcome of one case, whose id is known only once it is open. */
export interface Listener {
  /** Aborts with the outcome as its reason. */
  readonly signal: AbortSignal
  /** Names the case; an outcome of it that came before counts. */
  of(reviewCaseId: string): void
  /** When a decision with this signature came, ms since the epoch: with a callback that brought the very same, or now. */
  cameAt(decisionSignature: unknown): number
  close(): void
}

interface Told {
  readonly outcome: ReviewOutcome
  readonly decisionSignature: unknown
  readonly receivedAt: number
}

/** Hands outcome callbacks to those who wait for their cases. `time`: ms since the epoch. */
export function createCallbacks(time: () => number) {
  const waiting = new Map<string, Set<(told: Told) => void>>()
  /** What came while cases are being opened, for each opening. */
  const opening = new Set<Map<string, Told>>()

  function listen(): Listener {
    const early = new Map<string, Told>()
    const heard = new AbortController()
    let waitingFor: string | null = null
    let first: Told | null = null
    const hear = (told: Told) => {
      first ??= told
      heard.abort(told.outcome)
    }
    opening.add(early)
    return {
      signal: heard.signal,
      of(reviewCaseId) {
        opening.delete(early)
        waitingFor = reviewCaseId
        const all = waiting.get(reviewCaseId) ?? new Set()
        waiting.set(reviewCaseId, all.add(hear))
        const told = early.get(reviewCaseId)
        if (told) hear(told)
      },
      // A callback without it promises what may be signed long after.
      cameAt: (decisionSignature) =>
        first && sameJson(first.decisionSignature, decisionSignature) ? first.receivedAt : time(),
      close() {
        opening.delete(early)
        if (waitingFor === null) return
        const all = waiting.get(waitingFor)
        all?.delete(hear)
        if (all?.size === 0) waiting.delete(waitingFor)
      },
    }
  }

  /** False where nobody waits for the case. */
  function settle({ decisionSignature, ...called }: CalledBack): boolean {
    const outcome = outcomeOfCallback(called)
    const told = { outcome, decisionSignature, receivedAt: time() }
    for (const early of opening) early.set(outcome.reviewCaseId, told)
    const all = waiting.get(outcome.reviewCaseId)
    for (const hear of all ?? []) hear(told)
    return all !== undefined
  }

  return { listen, settle }
}
