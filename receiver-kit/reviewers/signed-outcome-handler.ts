import { outcomeMembers, requireKnown } from '@countersign/core/events'
import { type DecisionTimes, signatureVerifierOf } from '@countersign/core/webauthn'
import type { Receiver } from '../join-receiver.ts'
import {
  handleOutcomes,
  isApproved,
  type OutcomeHandlerOptions,
  type OutcomeProblem,
  type OutcomeTurn,
  outcomeOptions,
} from '../outcome-handler.ts'
import { faultOfTexts } from './outcome-texts.ts'
import { verifyBytes } from './pin-reviewers.ts'
import { type PinnedReviewers, requirePinned } from './pinned-reviewers.ts'

type Outcome = OutcomeTurn['outcome']

/** Argument of `onOutcome` where reviewers sign. Without the body, whose decision may be nobody's word. */
export type ReviewedTurn = Omit<OutcomeTurn, 'outcome' | 'message'> & ReviewedOutcome

/** An outcome and whether it may be acted on. `approved`: a pinned key signed the approval of what was asked. */
export type ReviewedOutcome =
  | { readonly approved: boolean; readonly problem: null; readonly outcome: Outcome }
  | {
      readonly approved: false
      /** No pinned key signed this decision of what was asked. */
      readonly problem: 'not_signed'
      /** Without `decision` and `response`, which are nobody's word. */
      readonly outcome: Undecided
    }
  | {
      readonly approved: false
      /** A pinned key signed it, but longer ago than `maxAgeMs`, or at another time than it may have been. */
      readonly problem: 'out_of_time'
      /** What was signed and when, by the service's clock; a throw keeps it, as any failure, until `maxAgeMs` allows it. */
      readonly signed: Pick<Outcome, 'decision' | 'response'> & { readonly signedAt: string }
      readonly outcome: Undecided
    }

type Undecided = Omit<Outcome, 'decision' | 'response'>

/**
 * Argument of `onProblem` where reviewers sign. `malformed_text`: the outcome has text that no service sends, such as an
 * id with a control character; `onOutcome` is not called.
 */
export type ReviewedProblem =
  | OutcomeProblem
  | (Omit<OutcomeProblem, 'code'> & {
      readonly code: 'not_signed' | 'out_of_time' | 'malformed_text'
    })

/** Options of `createSignedOutcomeHandler`. */
export interface SignedHandlerOptions
  extends Omit<OutcomeHandlerOptions, 'onOutcome' | 'onProblem'> {
  readonly reviewers: PinnedReviewers
  /** As without reviewers; what it does must follow `approved`. */
  readonly onOutcome: (turn: ReviewedTurn) => void | Promise<void>
  /**
   * As without reviewers; also called for each decision that no reviewer signed in its time, before `onOutcome`, and for
   * each outcome of malformed text, in its place.
   */
  readonly onProblem?: (problem: ReviewedProblem) => void | Promise<void>
}

/**
 * Creates a receiver of the outcome callback that holds decisions to the reviewers' own signatures: an approval that
 * stolen keys of the service made is acknowledged and not `approved`. Cases that expired or were cancelled are passed
 * on: nobody signs them. An outcome of malformed text is acknowledged, and `onProblem` alone hears of it. What `keys`,
 * `expected` or `within` throw is tried again as a failure of `onOutcome` is.
 *
 * @example
 * ```ts
 * import { memoryInbox } from '@countersign/receiver-kit'
 * import { type AskedCase, createSignedOutcomeHandler, type ReviewerKey } from '@countersign/receiver-kit/reviewers'
 *
 * const outcomes = createSignedOutcomeHandler({
 *   keys: ['whpk_GX9rI+FshTLGq8g4+s1ep4m+DHayzgM0A5i6i02j3h8='],
 *   applicationId: 'app_01m3xq8v7c0h2k4n6p8r0t2w4y',
 *   inbox: memoryInbox(), // one that lasts outside of tests
 *   reviewers: {
 *     rpId: 'portal.example.com',
 *     origins: ['https://portal.example.com'],
 *     keys: pinned,
 *     expected: async ({ sessionId, checkpointId }) => asked.get(`${sessionId} ${checkpointId}`) ?? null,
 *   },
 *   async onOutcome({ approved, outcome: { sessionId, checkpointId } }) {
 *     // Once for a checkpoint, not for a case: one question may have two cases, and each may be signed.
 *     if (approved) await payOnce(sessionId, checkpointId)
 *   },
 * })
 * outcomes.start()
 *
 * declare const pinned: readonly ReviewerKey[]
 * declare const asked: ReadonlyMap<string, AskedCase>
 * declare function payOnce(sessionId: string, checkpointId: string): Promise<void>
 * ```
 */
export function createSignedOutcomeHandler(options: SignedHandlerOptions): Receiver {
  const { reviewers, onOutcome, onProblem, observer } = options
  requirePinned(reviewers)
  requireKnown('options', options, { ...outcomeOptions, reviewers: true })
  const { expected, within } = reviewers
  const { faultOf } = signatureVerifierOf(reviewers, verifyBytes)
  const faultIn = async (outcome: Outcome, { message, receivedAt }: OutcomeTurn) => {
    const { decisionSignature } = message
    const known = within ? await within.call(reviewers, outcome) : {}
    // When it came, not when it is handled: what waits here was not kept back by the service.
    const times = { ...timesOf(known), receivedAt }
    const asked = await expected.call(reviewers, outcome)
    return faultOf({ ...outcome, decisionSignature }, asked, times)
  }
  const judge = async (outcome: Outcome, turn: OutcomeTurn): Promise<ReviewedOutcome> => {
    // Nobody responds to a case that ended without a decision.
    if (!isDecision(outcome))
      return { approved: false, problem: null, outcome: { ...outcome, response: null } }
    const fault = await faultIn(outcome, turn)
    if (fault === null) return { approved: isApproved(outcome), problem: null, outcome }
    await tell({ code: fault.code, outcome, detail: fault.detail })
    const { decision, response, ...undecided } = outcome
    if (fault.code === 'not_signed')
      return { approved: false, problem: fault.code, outcome: undecided }
    const signed = { decision, response, signedAt: fault.signedAt }
    return { approved: false, problem: fault.code, signed, outcome: undecided }
  }
  const tell = async (problem: ReviewedProblem) => {
    try {
      await onProblem?.call(options, problem)
    } catch (error) {
      const told = { code: problem.code, detail: String(error) }
      observer?.event('receiver.on_problem_failed', told)
    }
  }
  return handleOutcomes(options, {
    onProblem: tell,
    onOutcome: async (turn) => {
      const { attempt, receivedAt } = turn
      const outcome = knownOf(turn.outcome)
      // The application's database may refuse such text, and whatever throws is tried again.
      const detail = faultOfTexts(outcome)
      if (detail !== null) return tell({ code: 'malformed_text', outcome, detail })
      return onOutcome.call(options, { attempt, receivedAt, ...(await judge(outcome, turn)) })
    },
  })
}

/** The members that outcomes have: those that others added to the body are nobody's word. */
function knownOf(outcome: Outcome): Outcome {
  const names = Object.keys(outcomeMembers).map((name) => name.replace('?', ''))
  const members = Object.entries(outcome).filter(([name]) => names.includes(name))
  return Object.fromEntries(members) as unknown as Outcome
}

/** Times that are none fit nothing, as where `within` yields null for what it does not find. */
function timesOf(known: Omit<DecisionTimes, 'receivedAt'> | null): typeof known & object {
  if (typeof known !== 'object' || known === null) return { askedAt: NaN, deadline: NaN }
  const { askedAt, deadline } = known
  return { askedAt, deadline }
}

/** Whether a reviewer's decision ended the case. */
function isDecision({ decision }: Outcome): boolean {
  return decision !== 'cancelled' && decision !== 'expired'
}
