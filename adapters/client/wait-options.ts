import type { CancelInput } from './case-calls.ts'
import type { AnswerQuestion } from './follow-ups.ts'
import type { OnWaiting } from './persist.ts'
import { type OptionNames, readOptions } from './read-options.ts'
import type { SignatureCheck } from './signatures.ts'
import type { CaseAnswer } from './types.ts'

/** How to wait. */
export interface WaitOptions {
  /**
   * Ends the wait; it rejects with the signal's reason. Where the service was away until then, the error that it met
   * last becomes the reason's `cause`, unless it has one or is no Error. The case stays open unless `cancelOnAbort`. A
   * signal that is aborted before sends nothing.
   */
  readonly signal?: AbortSignal
  /**
   * Cancels the case for this reason when the signal aborts, also one whose opening was not answered yet. The wait
   * rejects once that is done; with `not_cancelled` where it is not within twice the client's `deadlineMs`.
   */
  readonly cancelOnAbort?: CancelInput['reasonCategory']
  /** Ms between reads of the case, rising from the first to the last; default 1,000 to 15,000. */
  readonly pollMs?: readonly [first: number, last: number]
  /**
   * Is called each time when the service is away and waited for, with the error and the ms until the next try. What it
   * throws ends the wait. An unknown host and a refused certificate end the wait by themselves, with `no_answer`.
   */
  readonly onWaiting?: OnWaiting
  /** Is called once the case is open, or was found. */
  readonly onOpen?: (review: CaseAnswer) => void
  /**
   * Answers a reviewer's question; without it the case waits for an answer by `answerFollowUp`. What it throws ends the
   * wait. Its signal aborts once the answer is not wanted any more: the case is closed, the question dropped, or the
   * wait over.
   */
  readonly onFollowUp?: AnswerQuestion
  /**
   * Holds decisions to the reviewers' own signatures, by pinned keys: one that none of them signed for exactly what was
   * asked rejects with `decision_not_signed`, and one that was not signed lately and by its `expiresAt`, unless it is a
   * rejection, with `decision_out_of_time`, whatever the service says. Asked again, it is judged anew.
   */
  readonly reviewers?: SignatureCheck
}

const names: OptionNames<WaitOptions> = {
  signal: true,
  cancelOnAbort: true,
  pollMs: true,
  onWaiting: true,
  onOpen: true,
  onFollowUp: true,
  reviewers: true,
}

/** As `readOptions`, of a wait: whoever gave them may change them while it lasts. */
export function copyWaitOptions(given: WaitOptions): WaitOptions {
  return readOptions(given, names)
}
