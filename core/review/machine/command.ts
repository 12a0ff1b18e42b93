import type {
  CancellationReason,
  ContinuationOutcome,
  Decision,
  ReasonCategory,
} from '../../base/events/review.ts'
import type { Refusal, Result } from '../../kernel/ledger/refusal.ts'
import type { SigningRule } from '../../proof/webauthn/signing-rule.ts'
import type { DecideCase, SeenVersion } from '../inputs.ts'
import type { ReviewCase } from '../records.ts'
import type { Presentation, Reviewer } from '../shapes.ts'
import type { StoredSignature, TextNonces } from '../signing/shapes.ts'
import type { StepName } from './steps.ts'

/** What can be asked of a case once it exists; the numbers are rows (interface, Transition table). */
export type CaseCommand =
  /** 2, 2b, 2c */
  | { readonly type: 'claim' }
  /** 3; `eligible`: an active member of the tenant who may review. */
  | {
      readonly type: 'reassign'
      readonly to: { readonly memberId: string; readonly eligible: boolean }
    }
  /** 4 */
  | { readonly type: 'request_follow_up'; readonly question: string }
  /** 5 */
  | { readonly type: 'answer_follow_up'; readonly answer: string }
  /** 6 */
  | {
      readonly type: 'decide'
      readonly decision: DecideCase['decision']
      readonly presentationDigest: string
      readonly comment: string | null
      readonly response: ReviewCase['response']
      readonly viewedMs?: number | undefined
      readonly reviewer: Reviewer
      /** Of the texts that there are. */
      readonly nonces: TextNonces
      /** What came of the verification of its signature; null where none was given. */
      readonly signed: Result<StoredSignature> | null
      readonly rule: SigningRule
      /** The member has ever enrolled an authenticator for signing. */
      readonly memberSigns: boolean
    }
  /** 7 */
  | { readonly type: 'cancel'; readonly reason: CancellationReason }
  /** 8 and 9: the timer; the later deadline that has passed wins. */
  | { readonly type: 'deadline' }
  /** 10 and 11; `attempts` are those since the last settlement, 0 when the callback was given up without a POST. */
  | {
      readonly type: 'callback_settled'
      readonly outcome: 'received' | 'retrying' | 'given_up'
      readonly attempts: number
    }
  /** 12 */
  | { readonly type: 'replay_callback' }
  /** 13 */
  | {
      readonly type: 'report_continuation'
      readonly outcome: ContinuationOutcome
      readonly detail: string | null
    }
  /** 14 and 15: an application's opening at the checkpoint of an open case; its token is sealed for this case. */
  | {
      readonly type: 'adopt'
      readonly presentation: Presentation
      readonly resumeToken: Uint8Array | null
      readonly requestedBy: string | null
      /** The pseudonym of whom the opening named; absent: nobody. */
      readonly dataSubjectId?: string | null
      /** The pseudonym of whom the case's step, else its session, is of; absent: nobody who is known. */
      readonly subjectOfPlace?: string | null
    }
  /** 16: the session of the case was dissolved into this one. */
  | { readonly type: 'move_session'; readonly sessionId: string }

/** What a command of a case knows beside the case itself: the time, the actor, the version that the caller saw. */
export interface CommandContext {
  /** Ms: the time that the step's event will bear. */
  readonly now: number
  readonly by: {
    /** In the history: `member:<id>`, `application:<id>` or `system`. */
    readonly name: string
    readonly memberId: string | null
    readonly admin: boolean
  }
  /** The version that the caller saw, where they said so. */
  readonly seen: SeenVersion | null
  /** Whether the application has a callback to be told of the outcome. */
  readonly callback: boolean
}

/** A recorded step as its public event tells it; `type` is null for a step that has none. */
export interface Recorded {
  readonly step: StepName
  readonly at: number
  readonly caseVersion: number
  readonly eventSequence: number
  readonly decision: Decision | null
  readonly reasonCategory: ReasonCategory
  readonly presentationDigest: string | null
}

/** The case after one or more steps. */
export interface Moved {
  readonly kind: 'moved'
  readonly case: ReviewCase
  readonly recorded: readonly Recorded[]
}

export type Decided =
  | Moved
  /** A repeat: nothing to record, no refusal. */
  | { readonly kind: 'same' }
  /** `moved` is the expiry that had to be recorded first. */
  | { readonly kind: 'refused'; readonly refusal: Refusal; readonly moved?: Moved }
