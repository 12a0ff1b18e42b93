import type { Actor } from '../access/actor.ts'
import type { ListQuery } from '../ledger/listing.ts'
import type { PartOf } from '../ledger/read-part.ts'
import type { Result } from '../ledger/refusal.ts'
import type { SessionOf } from '../sessions/view.ts'
import type { FlagKind } from './flags/records.ts'
import type { Severity } from './policy/shapes.ts'
import type { AnnotationView, FlagView, ScoresView, SessionReviewView } from './view.ts'

/** What members say of an application's sessions, and its scores. Each may refuse as `Service` says besides. */
export interface SignalUseCases {
  /** A session's flags, the latest first. Refuses with `not_found`, `ambiguous_session`, `invalid_request`. */
  listFlags<Query extends ListQuery>(
    actor: Actor,
    sessionId: string,
    query: Query,
    of?: SessionOf,
  ): Promise<Result<PartOf<Query, FlagView>>>
  /**
   * Raises a flag, with its event; an open one of that kind by a member is returned. Refuses with `not_found`,
   * `ambiguous_session`, `application_gone`, `invalid_request`.
   */
  raiseFlag(
    actor: Actor,
    sessionId: string,
    input: {
      readonly flag: FlagKind
      /** Default `warning`. */
      readonly severity?: Severity
      readonly note?: string | null
    },
    of?: SessionOf,
  ): Promise<Result<FlagView>>
  /** Clears a flag of any source; idempotent. Refuses as `raiseFlag`. */
  clearFlag(
    actor: Actor,
    sessionId: string,
    flagId: string,
    of?: SessionOf,
  ): Promise<Result<FlagView>>
  /** A session's annotations, the latest first. Refuses as `listFlags`. */
  listAnnotations<Query extends ListQuery>(
    actor: Actor,
    sessionId: string,
    query: Query,
    of?: SessionOf,
  ): Promise<Result<PartOf<Query, AnnotationView>>>
  /** Annotates a session or one of its steps. Refuses as `raiseFlag`. */
  annotate(
    actor: Actor,
    sessionId: string,
    input: {
      readonly text: string
      readonly stepId?: string | null
      readonly label?: string | null
    },
    of?: SessionOf,
  ): Promise<Result<AnnotationView>>
  /** Removes an annotation, by its author or an admin. Refuses as `raiseFlag`. */
  removeAnnotation(
    actor: Actor,
    sessionId: string,
    annotationId: string,
    of?: SessionOf,
  ): Promise<Result<AnnotationView>>
  /** A session's reviews, the latest first. Refuses as `listFlags`. */
  listSessionReviews<Query extends ListQuery>(
    actor: Actor,
    sessionId: string,
    query: Query,
    of?: SessionOf,
  ): Promise<Result<PartOf<Query, SessionReviewView>>>
  /** Reviews a completed session; decides no case. Refuses as `raiseFlag`, and with `invalid_transition` while it runs. */
  reviewSession(
    actor: Actor,
    sessionId: string,
    input: { readonly decision: 'approved' | 'rejected'; readonly comment?: string | null },
    of?: SessionOf,
  ): Promise<Result<SessionReviewView>>
  /** The application's scores as they were last computed: after completions and hourly. Refuses with `not_found`. */
  readScores(actor: Actor, applicationId: string): Promise<Result<ScoresView>>
}
