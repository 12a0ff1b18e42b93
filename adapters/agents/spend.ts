import { ApiError, type CaseAnswer, type Client, nullFor, untilAborted } from '@countersign/client'
import type { Together } from './meetings.ts'

type Report = Parameters<Client['reviewCases']['reportContinuation']>[0]

/** Ms between tries while the service is away. */
const retryMs = 1_000

/** Times that a claim without an answer is repeated once nobody waits. */
const lastTries = 3
/** Claims that are kept; the oldest go first. */
const mostKept = 1_000

/**
 * Details of claims under which nothing ran, by their cases' ids: who spends the approval next, in this process, has
 * it. Several where runs were left together, of which the service took one's.
 */
const kept = new Map<string, readonly string[]>()

/** A claim whose answer, or check, is not there yet. */
interface UnderWay {
  readonly details: readonly string[]
  readonly signal: AbortSignal | undefined
  readonly ended: Promise<unknown>
}

/** The newest claims under way, by their cases' ids. */
const underWay = new Map<string, UnderWay>()

/** The claim of a case that is under way for who left: it ends soon, and is kept. */
function leftClaim(reviewCaseId: string): UnderWay | null {
  const claim = underWay.get(reviewCaseId)
  return claim?.signal?.aborted ? claim : null
}

function keep(reviewCaseId: string, details: readonly string[]): void {
  if (details.length === 0) return
  kept.set(reviewCaseId, [...(kept.get(reviewCaseId) ?? []), ...details])
  const [oldest] = kept.keys()
  if (kept.size > mostKept && oldest !== undefined) kept.delete(oldest)
}

/** How an approval is claimed. */
export interface ClaimOptions {
  readonly signal: AbortSignal | undefined
  /** Whether it holds only before its case's `expiresAt`. */
  readonly isTimed: boolean
  /**
   * Whether the approval may not be used any more, for a reason of its own; asked before each try, and after the claim.
   */
  readonly isOver?: () => Promise<boolean>
  /** What becomes of one that was claimed for who left meanwhile: it is used, or kept for who spends it next. */
  readonly ifLeft: 'use' | 'keep'
  /** Of an approval that is used together with others, or not at all; the look at who left is theirs then. */
  readonly together?: Together | undefined
}

/**
 * Claims the approval of a case for one run, and returns the case as it was claimed; `spent` where another run has it,
 * `late` past its deadline, by this clock or the service's, or once it `isOver`. The first continuation that is
 * reported wins, and later reports are answered with it: so a claim is ours if its detail is. A claim without an answer
 * is repeated with the same detail until there is one: the signal ends none that is under way, for whether it was ours
 * would never be known, and nobody could use the approval any more. Where there is no answer for long after the signal,
 * the claim is kept, and whoever spends the approval next goes on with it; who does before waits for that.
 */
export async function claimApproval(
  client: Client,
  review: CaseAnswer,
  options: ClaimOptions,
): Promise<CaseAnswer | 'spent' | 'late'> {
  const { reviewCaseId } = review
  const { signal } = options
  signal?.throwIfAborted()
  await untilAborted(signal, async () => leftClaim(reviewCaseId)?.ended)
  const left = kept.get(reviewCaseId)
  kept.delete(reviewCaseId)
  const details = left ?? [`run-${crypto.randomUUID()}`]
  const claimed = claim(client, review, { ...options, left, details })
  const own = { details, signal, ended: claimed.catch(() => {}) }
  underWay.set(reviewCaseId, own)
  try {
    return await claimed
  } finally {
    if (underWay.get(reviewCaseId) === own) underWay.delete(reviewCaseId)
  }
}

async function claim(
  client: Client,
  { reviewCaseId, expiresAt }: CaseAnswer,
  {
    signal,
    isTimed,
    isOver = async () => false,
    ifLeft,
    together,
    left = [],
    details,
  }: ClaimOptions & {
    readonly left?: readonly string[] | undefined
    readonly details: readonly string[]
  },
): Promise<CaseAnswer | 'spent' | 'late'> {
  const isPast = (ms: number) => isTimed && ms >= Date.parse(expiresAt)
  const [detail = ''] = details
  let tries = lastTries
  // A claim that never went out is nobody's: kept, it would stand before the one that the service took.
  let unused = left
  try {
    while (!(isPast(Date.now()) || (await isOver()))) {
      const resumed = { reviewCaseId, outcome: 'resumed', detail } as const
      unused = details
      const claimed = await report(client, resumed).catch((error: unknown) => {
        if (error instanceof ApiError && error.code === 'continuation_conflict') return 'spent'
        if (signal?.aborted) tries--
        if (error instanceof ApiError && isAway(error) && tries > 0) return null
        throw error
      })
      if (claimed === 'spent') return 'spent'
      if (claimed) {
        const { continuation } = claimed
        if (continuation?.outcome !== 'resumed') return 'spent'
        if (!details.includes(continuation.detail ?? '')) return 'spent'
        await together?.claimed()
        if (isPast(Date.now()) || isPast(Date.parse(continuation.reportedAt))) return 'late'
        if (await isOver()) return 'late'
        // The last wait: signatures take unequal time, and one that looked by itself might see nobody leave yet.
        if (together) await together.checked()
        else if (ifLeft === 'keep') signal?.throwIfAborted()
        return isPast(Date.now()) ? 'late' : claimed
      }
      await pause(retryMs, undefined)
    }
    return 'late'
  } catch (error) {
    keep(reviewCaseId, unused)
    throw error
  }
}

/**
 * Whether a run began under this approval, as far as a case tells that may be made up: the service has the last word.
 */
export function isSpent({ reviewCaseId, continuation }: CaseAnswer): boolean {
  if (!continuation || continuation.outcome === 'remained_paused') return false
  const free = kept.get(reviewCaseId) ?? leftClaim(reviewCaseId)?.details ?? []
  return continuation.detail === null || !free.includes(continuation.detail)
}

/**
 * Reports that the action did not run, or that another call took its place; evidence then has what came of the
 * decision.
 */
export async function reportEnd(
  client: Client,
  reviewCaseId: string,
  outcome: 'terminated' | 'superseded',
): Promise<void> {
  // It was reported before, or the case takes no reports any more.
  const known = nullFor('continuation_conflict', 'case_expired', 'invalid_transition')
  await report(client, { reviewCaseId, outcome }).catch(known)
}

/** Repeats a call while the service is away; rejects with the signal's reason, and with what is no use repeating. */
export async function patiently<T>(
  signal: AbortSignal | undefined,
  call: () => Promise<T>,
): Promise<T> {
  for (;;) {
    try {
      return await call()
    } catch (error) {
      if (!(error instanceof ApiError && isAway(error))) throw error
      await pause(retryMs, signal)
    }
  }
}

function report(client: Client, asked: Report): Promise<CaseAnswer> {
  return client.reviewCases.reportContinuation(asked)
}

/** Whether a call may end otherwise the next time. */
function isAway({ code, status, lasting }: ApiError): boolean {
  if (code === 'no_answer' || code === 'deadline_exceeded') return !lasting
  return status === 429 || (status !== null && status >= 500)
}

/** Resolves after `ms`; rejects with the signal's reason once it aborts. */
function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal?.addEventListener('abort', stop, { once: true })
  })
}
