import { type CaseAnswer, type Client, outcomeOfCase } from '@countersign/client'
import { createAsking } from './ask-people.ts'
import { editOf } from './edits.ts'
import {
  type Reviews,
  type ReviewsOptions,
  type RunCallOptions,
  type RunContext,
  readReviewsOptions,
  readRunOptions,
  readSpendOptions,
  type SpendOptions,
} from './options.ts'
import { createPolicies } from './policies.ts'
import { isShown } from './present-call.ts'
import { type ClaimOptions, claimApproval, isSpent, reportEnd } from './spend.ts'
import { type AnyCall, actionFunction, isSameCall, resultOf, type ToolCall } from './tool-call.ts'
import {
  type CallVerdict,
  changedVerdict,
  lateVerdict,
  NotRun,
  refusedVerdict,
  spentVerdict,
  unaskedVerdict,
} from './verdict.ts'

/** Changes that reviewers may make to each other's; the last is told to the model. */
const mostEdits = 10

type Act<O> = (context: RunContext, input: unknown) => O | Promise<O>

/** What was asked for in the end, and what came of it. */
interface Approval {
  readonly asked: AnyCall
  readonly verdict: CallVerdict
}

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
export function createReviews(client: Client, given: ReviewsOptions): Reviews {
  const options = readReviewsOptions(given)
  const { identify = 'call', unasked = 'ask', edits = 'tell' } = options
  /** Whether decisions count until the deadlines of their cases alone. */
  const isTimed = identify === 'content'
  const policies = createPolicies(options)
  const { ownPolicyOf, problem, keptOf, isWanted, needs } = policies
  const { open, ask, isAsked, verdictOf, signed, refusedBy } = createAsking(
    client,
    options,
    policies,
  )

  async function spendApproval(
    call: AnyCall,
    verdict: CallVerdict,
    { signal, beforeDeadline = isTimed, checkpointId }: SpendOptions,
    after: Pick<ClaimOptions, 'ifLeft' | 'together'>,
  ): Promise<CallVerdict> {
    const { outcome, review } = verdict
    if (!verdict.approved) return verdict
    if (!outcome || !review) return unaskedVerdict()
    const kept = keptOf(call)
    const { reviewCaseId } = outcome
    if (!kept) return changedVerdict(verdict)
    const isOfCall = (each: CaseAnswer) =>
      each.reviewCaseId === reviewCaseId && each.sessionId === kept.sessionId && isAsked(kept, each)
    if (!isOfCall(review)) return changedVerdict(verdict)
    signal?.throwIfAborted()
    if (isSpent(review)) return spentVerdict(verdict)
    const place = checkpointId === undefined ? {} : { checkpointId }
    let checked = verdict
    // Anew whenever the service was waited for: whoever has it keeps an approval back by its answers too.
    const isOver = async () => {
      checked = await signed(kept, verdict, { signal, ...place })
      return !checked.approved
    }
    try {
      const how = { signal, isTimed: beforeDeadline, isOver, ...after }
      const claimed = await claimApproval(client, review, how)
      if (claimed === 'spent') return spentVerdict(verdict)
      if (claimed === 'late') return checked.approved ? lateVerdict(verdict) : checked
      // What is claimed is what was read: the service's last word, of this call.
      const isApproved = outcomeOfCase(claimed).approved && isOfCall(claimed)
      return isApproved ? verdict : changedVerdict(verdict)
    } catch (error) {
      signal?.throwIfAborted()
      return refusedBy(error, call, 'not_claimed')
    }
  }

  async function tellEnd(
    call: ToolCall,
    { code, outcome, review }: CallVerdict,
    end: 'terminated' | 'superseded',
  ): Promise<void> {
    const isOther = code === 'spent' || code === 'changed'
    if (!outcome || isOther || (review && isSpent(review))) return
    await reportEnd(client, outcome.reviewCaseId, end).catch((error: unknown) =>
      problem('not_reported', call, error),
    )
  }

  /** Asks for a call and, where that is wanted, for what reviewers make of it. */
  async function askWithEdits(
    call: ToolCall,
    { signal, edits: changes = edits }: RunCallOptions,
  ): Promise<Approval> {
    let asked: AnyCall = call
    let verdict = await ask(asked, signal, unasked)
    while (changes === 'ask') {
      const edited = editOf(asked, verdict)
      if (!edited || edited.edit.nth > mostEdits) break
      await tellEnd(asked, verdict, 'superseded')
      asked = edited
      verdict = await ask(asked, signal, 'ask')
    }
    return { asked, verdict }
  }

  /**
   * Asks until an approval is ours: by content, one that another call spent meanwhile is not this call's, nor is one
   * past its deadline. One of a call that is not `made` any more is kept.
   */
  async function approvalFor(
    call: ToolCall,
    made: ToolCall,
    how: RunCallOptions,
  ): Promise<Approval> {
    const { signal, ready, together } = how
    for (;;) {
      const { asked, verdict } = await askWithEdits(call, how)
      if (verdict.approved) await ready?.()
      if (verdict.approved && !asked.edit && !isSameCall(call, made))
        return { asked, verdict: changedVerdict(verdict) }
      const spent = await spendApproval(asked, verdict, { signal }, { ifLeft: 'use', together })
      const isOver = verdict.approved && (spent.code === 'spent' || spent.code === 'expired')
      if (!isTimed || !isOver) return { asked, verdict: spent }
    }
  }

  /** The call as it is held back; throws for what is no JSON. */
  function heldOf(call: ToolCall): ToolCall {
    const kept = keptOf(call)
    if (!kept) throw new NotRun(refusedVerdict('not_json'))
    return kept
  }

  /** `call`: of which a copy is kept. */
  async function runKept<O>(
    kept: ToolCall,
    call: ToolCall,
    act: Act<O>,
    given: Pick<RunContext, 'signal'>,
  ): Promise<{ readonly done: O } | null> {
    // Who guards a tool without a policy of its own means to ask, whatever `others` lets run: its name may be misspelt.
    const policy = ownPolicyOf(kept.name)
    if (!policy || (await isWanted(policy, kept, given.signal))) return null
    given.signal?.throwIfAborted()
    if (!isSameCall(kept, call)) throw new NotRun(changedVerdict(refusedVerdict('changed')))
    return { done: resultOf(await act({ ...withoutCase, ...given }, kept.input)) }
  }

  async function run<O>(call: ToolCall, act: Act<O>, how: RunCallOptions): Promise<O> {
    const { signal, isNeeded = false } = how
    const kept = heldOf(call)
    const given = signal ? { signal } : {}
    const unasked = isNeeded ? null : await runKept(kept, call, act, given)
    if (unasked) return unasked.done
    const { asked, verdict } = await approvalFor(kept, call, how)
    const { outcome, review } = verdict
    if (!verdict.approved || !outcome || !review) {
      await tellEnd(call, verdict, 'terminated')
      throw new NotRun(verdict)
    }
    // Who acts may hold the call's own input, which the framework or the model's next words may have changed meanwhile.
    if (!isShown(asked, review) || !(asked.edit || isSameCall(kept, call)))
      throw new NotRun(changedVerdict(verdict))
    const { reviewCaseId, presentationDigest } = outcome
    const edited = asked.edit && { edited: asked.input }
    const context = { reviewCaseId, presentationDigest, ...edited, ...given }
    return resultOf(await act(context, asked.input))
  }

  return {
    identify,
    needs,
    ask: (call, given) => ask(call, given?.signal, 'ask'),
    open: (call, given) => open(call, given?.signal),
    check: async (call, given) => (await open(call, given?.signal)).verdict,
    spend: async (call, verdict, given = {}) => {
      const { together, ...how } = readSpendOptions(given)
      return spendApproval(call, verdict, how, { ifLeft: 'keep', together })
    },
    verdictOf,
    run: async (call, act, given = {}) => run(call, actionFunction(act), readRunOptions(given)),
    runUnasked: async (call, act, { signal } = {}) =>
      runKept(heldOf(call), call, actionFunction(act), signal ? { signal } : {}),
    guard(name, act, of) {
      const guarded = actionFunction(act)
      return async (input, ...rest) => {
        const { sessionId, callId, signal } = of(input, ...rest)
        // Never the input itself: what was shown of it is what runs.
        const acting = (context: RunContext, shown: unknown) =>
          guarded(shown as typeof input, context)
        return run({ sessionId, callId, name, input }, acting, signal ? { signal } : {})
      }
    },
  }
}
