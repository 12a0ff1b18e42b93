import {
  ApiError,
  type CaseAnswer,
  type Client,
  outcomeOfCase,
  type ReviewRequest,
  requireSigned,
  untilAborted,
} from '@countersign/client'
import { type FoundCall, findCase, findRepeat, isAnswered } from './calls.ts'
import type { JudgeOptions, OpenedCall, ReviewsOptions } from './options.ts'
import type { Policies } from './policies.ts'
import { isShownAs } from './present-call.ts'
import { requestOf } from './request-call.ts'
import { patiently } from './spend.ts'
import { type AnyCall, repeatAt, type ToolCall } from './tool-call.ts'
import {
  type CallVerdict,
  callVerdictOf,
  changedVerdict,
  lateVerdict,
  refusedVerdict,
  unaskedVerdict,
} from './verdict.ts'

/** When a decision was signed, as its signature tells: ms since the epoch, or NaN. */
function signedMs(review: CaseAnswer): number {
  const { decisionSignature: signature } = review as { readonly decisionSignature?: unknown }
  const { statement } = Object(signature) as { readonly statement?: { issuedAt?: unknown } | null }
  return Date.parse(String(statement?.issuedAt))
}

/** Creates what asks people about calls, and judges their cases; it spends and runs nothing. */
export function createAsking(
  client: Client,
  options: ReviewsOptions,
  { policyOf, problem, keptOf }: Policies,
) {
  const { identify = 'call', comment = 'tell', via, namespace, reviewers } = options

  const asked = (call: AnyCall, nth: number | null) =>
    requestOf(call, { policy: policyOf(call.name) ?? {}, nth, via, namespace })

  /** Whether a case shows all that this call asks, its words too; not where a policy has none to compare. */
  function isAsked(call: AnyCall, review: CaseAnswer): boolean {
    try {
      return isShownAs(asked(call, null).presentation, review)
    } catch (error) {
      problem('not_asked', call, error)
      return false
    }
  }

  /** Looks for the case of a call, and opens none. */
  async function find(call: AnyCall, signal: AbortSignal | undefined): Promise<FoundCall> {
    const at = (nth: number | null) => findCase(client, asked(call, nth), signal)
    if (identify === 'call') return { nth: null, review: await at(null) }
    return findRepeat(at, {
      nowMs: Date.now(),
      isTooOld: (review, nth) => isTooOld(asked(call, nth), review, signal),
    })
  }

  async function open(call: ToolCall, signal?: AbortSignal): Promise<OpenedCall> {
    const reviews: CaseAnswer[] = []
    const verdict = await closed(call, signal, async (kept) => {
      const { nth, review: found } = await find(kept, signal)
      const request = asked(kept, nth)
      const review = isAnswered(kept, request.presentation, found)
        ? found
        : await client.reviewCases.open(request, signal ? { signal } : {})
      options.onOpen?.(review)
      reviews.push(review)
      return review.state === 'open' && isAsked(kept, review) ? null : review
    })
    return { verdict, review: reviews.at(-1) ?? null }
  }

  /** `unasked`: of a call that has no case, whether to open one. */
  async function ask(
    call: AnyCall,
    signal: AbortSignal | undefined,
    unasked: 'ask' | 'deny',
  ): Promise<CallVerdict> {
    const { pollMs, onFollowUp, onOpen } = options
    const waiting = { pollMs, onFollowUp, onOpen, signal }
    const set = Object.entries(waiting).filter(([, value]) => value !== undefined)
    const verdict = await closed(call, signal, async (kept) => {
      const { nth, review } = await patiently(signal, () => find(kept, signal))
      // A deadline counts from here, however long the service was away.
      const request = asked(kept, nth)
      if (isAnswered(kept, request.presentation, review)) {
        onOpen?.(review)
        return review
      }
      if (!review && unasked === 'deny') return null
      const { reviewCaseId } = await client.reviewCases.request(request, Object.fromEntries(set))
      const given = signal ? { signal } : {}
      return patiently(signal, () => client.reviewCases.read({ reviewCaseId }, given))
    })
    return verdict ?? unaskedVerdict()
  }

  /** The verdict on a call by its case. What nobody could be asked for is denied, and only `onProblem` hears why. */
  async function closed(
    call: AnyCall,
    signal: AbortSignal | undefined,
    find: (kept: AnyCall) => Promise<CaseAnswer | null>,
  ): Promise<CallVerdict | null> {
    try {
      const kept = keptOf(call)
      if (!kept) return refusedVerdict('not_json')
      const review = await find(kept)
      if (!review) return null
      return (await verdictOf(kept, review, { signal })) ?? refusedVerdict('still_open')
    } catch (error) {
      signal?.throwIfAborted()
      return refusedBy(error, call, 'not_asked')
    }
  }

  /** The verdict on a call that met an error, of which only `onProblem` hears; `or`: its code, unless it has one. */
  function refusedBy(error: unknown, call: ToolCall, or: string): CallVerdict {
    const code = error instanceof ApiError ? error.code : or
    problem(code, call, error)
    return refusedVerdict(code)
  }

  /** The verdict as the service tells it; refused where no closed case is like this. */
  function verdictTold(call: AnyCall, review: CaseAnswer): CallVerdict {
    try {
      return callVerdictOf(review, comment)
    } catch (error) {
      return refusedBy(error, call, 'unexpected_answer')
    }
  }

  async function verdictOf(
    call: AnyCall,
    review: CaseAnswer,
    how: JudgeOptions = {},
  ): Promise<CallVerdict | null> {
    const kept = keptOf(call)
    if (!kept) return refusedVerdict('not_json')
    const verdict = review.state === 'open' ? null : verdictTold(kept, review)
    if (!isAsked(kept, review)) return changedVerdict(verdict ?? refusedVerdict('changed'))
    return verdict && signed(kept, verdict, how)
  }

  /**
   * The verdict, with what was signed as its outcome, where a reviewer whose key is pinned signed it for what this call
   * asks. A check ends with the signal.
   */
  async function signed(
    call: AnyCall,
    verdict: CallVerdict,
    { checkpointId, signal }: JudgeOptions,
  ): Promise<CallVerdict> {
    const { outcome, review } = verdict
    if (!reviewers || !outcome || !review) return verdict
    try {
      const known = checkpointId !== undefined && { checkpointId }
      const request = { ...expected(call, review), ...known }
      const verify = () => requireSigned(reviewers, request, outcome, review, Date.now())
      const counted = { ...verdict, outcome: await untilAborted(signal, verify) }
      return verdict.approved && isStale(call, review) ? lateVerdict(counted) : counted
    } catch (error) {
      signal?.throwIfAborted()
      return refusedBy(error, call, 'not_verified')
    }
  }

  /** What was asked. Which of equal calls it is, the service says; a signature is for one of them. */
  function expected(call: AnyCall, { checkpoint: { checkpointId } }: CaseAnswer) {
    if (identify === 'call') return asked(call, null)
    const first = asked(call, 1)
    const nth = repeatAt(call, { checkpointId, presentation: first.presentation, namespace })
    return nth === null ? first : { ...first, checkpointId }
  }

  /** By content: whether an approval was signed longer ago than its case was to be open, whatever that says by now. */
  function isStale({ name }: AnyCall, review: CaseAnswer): boolean {
    const { expiresInMs } = policyOf(name) ?? {}
    if (identify === 'call' || expiresInMs === undefined) return false
    return !(Date.now() < signedMs(review) + expiresInMs)
  }

  /** Whether a pinned reviewer signed a decision too long ago to count; one of a time to come may count later. */
  async function isTooOld(
    request: ReviewRequest,
    review: CaseAnswer,
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    if (!reviewers || review.state !== 'decided') return false
    try {
      const verify = async () =>
        requireSigned(reviewers, request, outcomeOfCase(review), review, Date.now())
      await untilAborted(signal, verify)
      return false
    } catch (error) {
      signal?.throwIfAborted()
      const isOutOfTime = error instanceof ApiError && error.code === 'decision_out_of_time'
      return isOutOfTime && signedMs(review) <= Date.now()
    }
  }

  return { open, ask, isAsked, verdictOf, signed, refusedBy }
}
