import { ApiError, type CaseAnswer, type Client } from '@countersign/client'
import { digestOf } from '@countersign/core/canonical'
import { type FoundCall, findCall, findRepeat, isAnswered, type KeyedRequest } from './calls.ts'
import type { Reviews, ReviewsOptions, RunContext, ToolPolicy } from './options.ts'
import { isShown, presentationOf } from './present-call.ts'
import { writeResumeToken } from './resume-token.ts'
import { claimApproval, isSpent, patiently, reportEnd } from './spend.ts'
import {
  type CallIds,
  checkpointOf,
  contentCheckpoint,
  jsonOf,
  type ToolCall,
} from './tool-call.ts'
import {
  type CallVerdict,
  callVerdictOf,
  changedVerdict,
  NotRun,
  refusedVerdict,
  spentVerdict,
  unaskedVerdict,
} from './verdict.ts'

const withoutCase: RunContext = { reviewCaseId: null, presentationDigest: null }

/**
 * Creates what asks people about tool calls, and holds calls back until they have answered.
 *
 * @example
 * ```ts
 * import { createReviews } from '@countersign/agents'
 * import { createClient } from '@countersign/client'
 *
 * const client = createClient({ ingestUrl: 'https://ingest.example.com', apiKey })
 * const reviews = createReviews(client, { tools: { transfer: { reviewTier: 'high' } } })
 * const transfer = reviews.guard('transfer', pay, (_, callId: string) => ({ sessionId: 'run-4711', callId }))
 * await transfer({ to: 'ACME GmbH', amount: 1_200 }, 'call-1') // a person decides; NotRun unless they approve
 * ```
 */
export function createReviews(client: Client, options: ReviewsOptions): Reviews {
  const { tools, others = 'run', identify = 'call', comment = 'tell', spend = 'once' } = options
  const { unasked = 'ask' } = options
  const policyOf = (name: string): ToolPolicy | null =>
    Object.hasOwn(tools, name) ? (tools[name] ?? {}) : null
  const problem = (code: string, call: ToolCall, error: unknown) =>
    options.onProblem?.({ code, call, error })

  async function needs(call: ToolCall): Promise<boolean> {
    const policy = policyOf(call.name)
    if (!policy) return others === 'ask'
    return isWanted(policy, call)
  }

  async function isWanted({ when = () => true }: ToolPolicy, call: ToolCall): Promise<boolean> {
    try {
      return await when(call)
    } catch (error) {
      problem('when_failed', call, error)
      return true
    }
  }

  /** `nth`: of calls that show the same; null for one that has an id. */
  function requestOf(call: ToolCall, nth: number | null) {
    const policy = policyOf(call.name) ?? {}
    const { reasonCategory = 'high_risk_action', reviewTier, expiresInMs } = policy
    const requestedBy = policy.requestedBy?.(call) ?? null
    const { sessionId } = call
    const expiresAt = expiresInMs && new Date(Date.now() + expiresInMs).toISOString()
    const presentation = presentationOf(call, policy.describe?.(call))
    const checkpointId =
      nth === null ? checkpointOf(call) : contentCheckpoint(call.name, presentation, nth)
    const request: KeyedRequest = {
      sessionId,
      checkpointId,
      reasonCategory,
      presentation,
      idempotencyKey: `call-${digestOf([sessionId, checkpointId])}`,
      ...(reviewTier && { reviewTier }),
      ...(expiresAt && { expiresAt }),
      ...(requestedBy !== null && { requestedBy }),
      // Without ids, two calls that are the same have to ask the same.
      ...(options.via &&
        nth === null && { resumeToken: writeResumeToken({ ...call, via: options.via }) }),
    }
    return request
  }

  /** Looks for the case of a call, and opens none. */
  function find(call: ToolCall, signal: AbortSignal | undefined): Promise<FoundCall> {
    if (identify === 'call') return findCall(client, requestOf(call, null), signal)
    return findRepeat(client, (nth) => requestOf(call, nth), signal)
  }

  async function check(call: ToolCall, signal?: AbortSignal): Promise<CallVerdict | null> {
    return closed(call, signal, async (kept) => {
      const { request, review: found } = await find(kept, signal)
      const review = isAnswered(kept, found)
        ? found
        : await client.reviewCases.open(request, signal ? { signal } : {})
      options.onOpen?.(review)
      return review.state === 'open' ? null : review
    })
  }

  /** `unasked`: of a call that has no case, whether to open one. */
  async function ask(
    call: ToolCall,
    signal: AbortSignal | undefined,
    unasked: 'ask' | 'deny',
  ): Promise<CallVerdict> {
    const { pollMs, onFollowUp, onOpen } = options
    const waiting = { pollMs, onFollowUp, onOpen, signal }
    const set = Object.entries(waiting).filter(([, value]) => value !== undefined)
    const verdict = await closed(call, signal, async (kept) => {
      const { request, review } = await patiently(signal, () => find(kept, signal))
      if (isAnswered(kept, review)) {
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
    call: ToolCall,
    signal: AbortSignal | undefined,
    find: (kept: ToolCall) => Promise<CaseAnswer | null>,
  ): Promise<CallVerdict | null> {
    try {
      const kept = { ...call, input: jsonOf(call.input) }
      const review = await find(kept)
      if (!review) return null
      if (review.state === 'open') return refusedVerdict('still_open')
      const verdict = callVerdictOf(review, comment)
      return isShown(kept, review) ? verdict : changedVerdict(verdict)
    } catch (error) {
      signal?.throwIfAborted()
      const code = error instanceof ApiError ? error.code : 'not_asked'
      problem(code, call, error)
      return refusedVerdict(code)
    }
  }

  async function spendApproval(
    call: ToolCall,
    verdict: CallVerdict,
    signal?: AbortSignal,
  ): Promise<CallVerdict> {
    const { outcome } = verdict
    if (!verdict.approved || !outcome) return verdict
    try {
      const isOurs = await claimApproval(client, outcome.reviewCaseId, signal)
      return isOurs ? verdict : spentVerdict(verdict)
    } catch (error) {
      signal?.throwIfAborted()
      const code = error instanceof ApiError ? error.code : 'not_claimed'
      problem(code, call, error)
      return refusedVerdict(code)
    }
  }

  async function tellEnd(call: ToolCall, { code, outcome, review }: CallVerdict): Promise<void> {
    const isOther = code === 'spent' || code === 'changed'
    if (!outcome || isOther || (review && isSpent(review))) return
    await reportEnd(client, outcome.reviewCaseId, code).catch((error: unknown) =>
      problem('not_reported', call, error),
    )
  }

  /** Asks until an approval is ours: by content, one that another call spent meanwhile is not this call's. */
  async function approvalFor(
    call: ToolCall,
    signal: AbortSignal | undefined,
  ): Promise<CallVerdict> {
    for (;;) {
      const asked = await ask(call, signal, unasked)
      // Spent once it is done: a crash meanwhile runs it again.
      if (spend === 'report')
        return asked.approved && asked.review && isSpent(asked.review) ? spentVerdict(asked) : asked
      const verdict = await spendApproval(call, asked, signal)
      if (identify === 'call' || verdict.code !== 'spent') return verdict
    }
  }

  async function run<O>(
    call: ToolCall,
    act: (context: RunContext) => O | Promise<O>,
    { signal }: Pick<CallIds, 'signal'> = {},
  ): Promise<O> {
    const policy = policyOf(call.name)
    // Who guards a tool without a policy means to ask.
    if (policy && !(await isWanted(policy, call))) return act(withoutCase)
    let shown: ToolCall
    try {
      shown = { ...call, input: jsonOf(call.input) }
    } catch (error) {
      problem('not_json', call, error)
      throw new NotRun(refusedVerdict('not_json'))
    }
    const verdict = await approvalFor(shown, signal)
    const { outcome, review } = verdict
    if (!verdict.approved || !outcome || !review) {
      await tellEnd(call, verdict)
      throw new NotRun(verdict)
    }
    // The framework, or the model's next words, may have changed it while people looked.
    if (!isShown(call, review)) throw new NotRun(changedVerdict(verdict))
    const { reviewCaseId, presentationDigest } = outcome
    const done = await act({ reviewCaseId, presentationDigest })
    if (spend === 'report') await tellEnd(call, verdict)
    return done
  }

  return {
    needs,
    ask: (call, given) => ask(call, given?.signal, 'ask'),
    check: (call, given) => check(call, given?.signal),
    spend: (call, verdict, given) => spendApproval(call, verdict, given?.signal),
    run,
    guard:
      (name, act, of) =>
      async (input, ...rest) => {
        const { signal, ...ids } = of(input, ...rest)
        return run({ ...ids, name, input }, (context) => act(input, context), { signal })
      },
  }
}
