import { type CalledBack, outcomeOfCallback, type ReviewOutcome } from './outcome.ts'

/** Listens for the outcome of one case, whose id is known only once it is open. */
export interface Listener {
  /** Aborts with the outcome as its reason. */
  readonly signal: AbortSignal
  /** Names the case; an outcome of it that came before counts. */
  of(reviewCaseId: string): void
  close(): void
}

/** Hands outcome callbacks to those who wait for their cases. */
export function createCallbacks() {
  const waiting = new Map<string, Set<AbortController>>()
  /** What came while cases are being opened, for each opening. */
  const opening = new Set<Map<string, ReviewOutcome>>()

  function listen(): Listener {
    const early = new Map<string, ReviewOutcome>()
    const heard = new AbortController()
    let waitingFor: string | null = null
    opening.add(early)
    return {
      signal: heard.signal,
      of(reviewCaseId) {
        opening.delete(early)
        waitingFor = reviewCaseId
        const all = waiting.get(reviewCaseId) ?? new Set()
        waiting.set(reviewCaseId, all.add(heard))
        const outcome = early.get(reviewCaseId)
        if (outcome) heard.abort(outcome)
      },
      close() {
        opening.delete(early)
        if (waitingFor === null) return
        const all = waiting.get(waitingFor)
        all?.delete(heard)
        if (all?.size === 0) waiting.delete(waitingFor)
      },
    }
  }

  /** False where nobody waits for the case. */
  function settle(called: CalledBack): boolean {
    const outcome = outcomeOfCallback(called)
    for (const early of opening) early.set(outcome.reviewCaseId, outcome)
    const all = waiting.get(outcome.reviewCaseId)
    for (const heard of all ?? []) heard.abort(outcome)
    return all !== undefined
  }

  return { listen, settle }
}
