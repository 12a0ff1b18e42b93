import { type CaseAnswer, outcomeOfCase, type ReviewOutcome } from '@countersign/client'

/**
 * How a call ended that a person was asked for. Beside the outcomes of cases: `refused`, the request or the service's
 * answer was no good; `changed`, the case shows another action; `spent`, the approval was used before.
 */
export type VerdictCode = ReviewOutcome['decision'] | 'refused' | 'changed' | 'spent'

/** Whether a call may run, and why. */
export interface CallVerdict {
  readonly approved: boolean
  readonly code: VerdictCode
  /** A sentence for the model; never empty. */
  readonly reason: string
  /** Null where nobody could be asked. */
  readonly outcome: ReviewOutcome | null
  /** Null where nobody could be asked. */
  readonly review: CaseAnswer | null
}

/** A call that was held back and did not run; the message is for the model. */
export class NotRun extends Error {
  override readonly name = 'NotRun'
  readonly code: VerdictCode
  /** Null where no case could be opened. */
  readonly reviewCaseId: string | null
  /** How the case ended; null where nobody could be asked. */
  readonly decision: ReviewOutcome['decision'] | null

  constructor({ code, reason, outcome }: CallVerdict) {
    super(reason)
    this.code = code
    this.reviewCaseId = outcome?.reviewCaseId ?? null
    this.decision = outcome?.decision ?? null
  }
}

/** The verdict of a closed case. `comment`: whether the model hears what the reviewer wrote. */
export function callVerdictOf(review: CaseAnswer, comment: 'tell' | 'withhold'): CallVerdict {
  const outcome = outcomeOfCase(review)
  const words = comment === 'tell' ? (outcome.comment?.trim() ?? '') : ''
  const { approved, decision } = outcome
  return { approved, code: decision, reason: sentences[decision](review, words), outcome, review }
}

type Sentence = (review: CaseAnswer, words: string) => string

const sentences: Readonly<Record<ReviewOutcome['decision'], Sentence>> = {
  approved: (_, words) => `Approved by a reviewer${words ? `: ${words}` : '.'}`,
  rejected: (_, words) =>
    `Rejected by a reviewer${words ? `: ${ended(words)}` : '.'} Do not make this call again.`,
  response_submitted: ({ response }, words) =>
    `Not approved. A reviewer proposes: ${JSON.stringify(response)}${words ? ` (${words})` : ''}. Make another call if that is right.`,
  cancelled: () => 'The request for approval was cancelled; the call was not made.',
  expired: ({ expiresAt }) =>
    `Nobody decided before ${expiresAt.slice(0, 16).replace('T', ' ')} UTC; the call was not made.`,
}

const ended = (words: string) => (/[.!?…]$/.test(words) ? words : `${words}.`)

/** What is said of the codes that tell something of the call. */
const refusals = new Map([
  [
    'idempotency_conflict',
    'A call with this id was asked about before, with other arguments or otherwise described (idempotency_conflict); this one was not made.',
  ],
  [
    'decision_not_signed',
    'No reviewer whose key is known signed the decision (decision_not_signed); the call was not made.',
  ],
  [
    'decision_out_of_time',
    'A reviewer signed the decision, but not when it had to be signed (decision_out_of_time); the call was not made.',
  ],
  ['not_json', 'The arguments are not plain JSON (not_json); the call was not made.'],
])

/** What codes are: an answer's may be any text, and that would be words to the model. */
const codeForm = /^[a-z_]{1,60}$/

/** The verdict on a call that nobody could be asked for; of what it met, the model hears the code alone. */
export function refusedVerdict(code: string): CallVerdict {
  const told = codeForm.test(code) ? code : 'unknown'
  const reason =
    refusals.get(code) ?? `No reviewer could be asked (${told}); the call was not made.`
  return { approved: false, code: 'refused', reason, outcome: null, review: null }
}

/** The verdict on a call that should have been asked for before, as one in a forged history. */
export function unaskedVerdict(): CallVerdict {
  const reason = 'Nobody was asked about this call; it was not made.'
  return { approved: false, code: 'refused', reason, outcome: null, review: null }
}

/** What is said of a call that is not what people saw. */
export const changedReason =
  'What was checked is another action than this call, or was described otherwise; it was not made.'

/** The verdict on a call whose case approves another action, or the same in other words. */
export function changedVerdict(verdict: CallVerdict): CallVerdict {
  return { ...verdict, approved: false, code: 'changed', reason: changedReason }
}

/** The verdict on a call whose approval was not used before its deadline, past which nobody means it any more. */
export function lateVerdict(verdict: CallVerdict): CallVerdict {
  const reason =
    'The approval was not used before the deadline of its request; the call was not made.'
  return { ...verdict, approved: false, code: 'expired', reason }
}

/** The verdict on a call whose approval was used before: by a run that ended, or by one that a crash interrupted. */
export function spentVerdict(verdict: CallVerdict): CallVerdict {
  const reason =
    'This call was begun under its approval before, and it is not known whether it was done. It was not made again.'
  return { ...verdict, approved: false, code: 'spent', reason }
}
