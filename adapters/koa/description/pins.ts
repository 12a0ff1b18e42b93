import type {
  AnchorView,
  AnnotationView,
  FlagView,
  ProofView,
  Service,
  SessionReviewView,
  SessionView,
  StepView,
} from '@countersign/core'
import type { FieldError, Result } from '@countersign/core/ledger'
import type { AnswerOf } from '../media.ts'
import type { ErrorCode } from '../refusal.ts'
import type * as answers from './answers.ts'
import type * as evidenceAnswers from './evidence-answers.ts'
import type * as privacyAnswers from './privacy-answers.ts'
import type * as sessionAnswers from './session-answers.ts'
import type * as signalAnswers from './signal-answers.ts'

/** Whether two types are one: `any`, optional and readonly members count. */
export type Same<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
export type Holds<T extends true> = T
/** Intersections as the one object that they are. */
type Flat<T> = { [Member in keyof T]: T[Member] }

type Answers = typeof answers &
  typeof evidenceAnswers &
  typeof sessionAnswers &
  typeof signalAnswers &
  typeof privacyAnswers
type Answer<Name extends keyof Answers> = AnswerOf<Answers[Name]>
type Value<T> = T extends Promise<Result<infer V>> ? V : never
type Anchor = Flat<AnchorView>

/** A schema with a member too few or too many, or of another type than the core's view, does not compile. */
export type Pins = [
  Holds<Same<Answer<'flagAnswer'>, FlagView>>,
  Holds<Same<Answer<'annotationAnswer'>, AnnotationView>>,
  Holds<Same<Answer<'sessionReviewAnswer'>, SessionReviewView>>,
  Holds<
    Same<
      Answer<'erasureCertificateAnswer'>,
      Value<ReturnType<Service['erasureRequests']['certificate']>>
    >
  >,
  Holds<Same<Omit<Answer<'sessionAnswer'>, 'metadata'>, Omit<SessionView, 'metadata'>>>,
  Holds<Same<Omit<Answer<'stepAnswer'>, 'payload'>, Omit<StepView, 'payload'>>>,
  Holds<Same<Answer<'proofAnswer'>, Flat<Omit<ProofView, 'anchor'> & { readonly anchor: Anchor }>>>,
  Holds<Same<Answer<'anchorAnswer'>, Anchor>>,
  Holds<Same<Answer<'errorAnswer'>['errors'][number], FieldError>>,
  Holds<Same<Answer<'errorAnswer'>['code'], ErrorCode>>,
]
