import { longest } from '../../kernel/ledger/limits.ts'
import { showAll } from '../../kernel/members.ts'
import { line, name, type OutsOf, oneOf, type RowsOf, text, time } from '../../kernel/shape.ts'
import { table } from '../../kernel/table.ts'
import { fromOne } from '../../kernel/usual.ts'
import { orNull } from '../../kernel/wrap.ts'

const id = line(longest.id)
const ofApplication = { tenantId: id, applicationId: id }
/** As long as the session is there. */
const asItsSession = {
  indexes: { byApplication: ['applicationId'] },
  tenant: 'tenantId',
  purge: { application: 'applicationId' },
  retain: { work: 'sessionRetention' },
} as const

/** The members that the author of an annotation sets. */
export const annotationDefinition = {
  text: text(longest.text),
  /** Null: on the session. */
  stepId: orNull(id),
  label: orNull(line(longest.label)),
}

/** The members that readers of an annotation see. */
export const shownAnnotation = {
  annotationId: id,
  sessionId: id,
  stepId: annotationDefinition.stepId,
  /** Null where none was given, and after an erasure. */
  label: annotationDefinition.label,
  /** Null after an erasure. */
  text: orNull(annotationDefinition.text),
  /** The member's id. */
  createdBy: id,
  createdAt: time,
}

/** Members' notes on sessions and their steps. */
export const sessionAnnotations = table({
  name: 'sessionAnnotations',
  members: { ...ofApplication, ...shownAnnotation },
  key: ['tenantId', 'applicationId', 'sessionId', 'annotationId'],
  sealed: ['text', 'label'],
  ...asItsSession,
})

/** A member's note on a session or one of its steps. */
export interface SessionAnnotation extends RowsOf<typeof sessionAnnotations.members> {}
/** An annotation of a session or a step. */
export interface AnnotationView extends OutsOf<typeof shownAnnotation> {}

export function annotationView(row: SessionAnnotation): AnnotationView {
  return showAll(shownAnnotation, row)
}

/** The members that a reviewer of a session sets. */
export const sessionReviewDefinition = {
  decision: oneOf(['approved', 'rejected']),
  /** Null where none was given, and after an erasure. */
  comment: orNull(text(longest.comment)),
}

/** The members that readers of a session review see. */
export const shownSessionReview = {
  sessionReviewId: id,
  sessionId: id,
  /** Of the session, when it was reviewed. */
  revision: fromOne,
  /** Hex, of that revision's seal; null where it was not sealed yet. */
  leafHash: orNull(line(longest.id)),
  ...sessionReviewDefinition,
  reviewerId: id,
  /** As it was then. */
  reviewerName: name(longest.name),
  reviewedAt: time,
}

/** Members' verdicts on whole sessions; they decide no case and resume nothing. */
export const sessionReviews = table({
  name: 'sessionReviews',
  members: { ...ofApplication, ...shownSessionReview },
  key: ['tenantId', 'applicationId', 'sessionId', 'sessionReviewId'],
  sealed: ['comment'],
  ...asItsSession,
})

/** A member's verdict on a whole session; it decides no case and resumes nothing. */
export interface SessionReview extends RowsOf<typeof sessionReviews.members> {}
/** A review of a session; the reviewer's name as it was then. */
export interface SessionReviewView extends OutsOf<typeof shownSessionReview> {}

export function reviewView(row: SessionReview): SessionReviewView {
  return showAll(shownSessionReview, row)
}
