import { longest, most } from '../kernel/ledger/limits.ts'
import { listOf } from '../kernel/members.ts'
import {
  anything,
  type InsOf,
  just,
  line,
  oneOf,
  type RowsOf,
  text,
  time,
  whole,
} from '../kernel/shape.ts'
import { digest, fromOne } from '../kernel/usual.ts'
import { checked, optional, orNull } from '../kernel/wrap.ts'
import { caseMembers, presentation } from './shapes.ts'

const id = line(longest.id)
const { reasonCategory, reviewTier } = caseMembers

/** The last time that a year of four digits can write (RFC 3339). */
const lastTime = Date.UTC(9999, 11, 31, 23, 59, 59, 999)
const deadline = checked(time, (at) =>
  at >= 0 && at <= lastTime ? null : `expected a time in ms since the epoch, at most ${lastTime}`,
)

/** An application's request for a review (interface, Opening). */
export const opening = {
  sessionId: id,
  stepId: orNull(id),
  checkpointId: id,
  /** The application's own opaque value, given back in the callback and to its key alone. */
  resumeToken: orNull(text(longest.resumeToken)),
  reasonCategory,
  reviewTier: optional(reviewTier),
  dueAt: optional(deadline),
  expiresAt: optional(deadline),
  presentation,
  /**
   * Whom the case is about: the application's own id of a person, or their pseudonym. Without it
   * `presentation.dataSubjectId` names them, where that is such an id.
   */
  dataSubjectId: optional(orNull(id)),
  requestedBy: orNull(id),
  policyResults: optional(listOf(anything, { most: most.policyResults })),
  idempotencyKey: id,
}
/** An application's request for a review (interface, Opening). */
export interface OpenCase extends InsOf<typeof opening> {}

/** A case, and the version of it that the caller saw; another one is refused with `version_conflict`. */
export const seenCase = {
  reviewCaseId: id,
  caseVersion: fromOne,
  /** Also pins the recorded steps that raise no version, such as those of the outcome callback. */
  eventSequence: optional(fromOne),
}
/** As `seenCase`, of callers who need not have seen any version. */
export const ofCase = { ...seenCase, caseVersion: optional(fromOne) }
/** The version that the caller saw. */
export type SeenVersion = Omit<RowsOf<typeof seenCase>, 'reviewCaseId'>

/** Ms for which a reviewer had a case in view before the decision, a day at most. */
export const viewedMs = whole(0, 86_400_000)

/** A reviewer's decision. */
export const decision = {
  ...seenCase,
  presentationDigest: digest,
  decision: oneOf(['approved', 'rejected', 'response_submitted']),
  comment: orNull(text(longest.comment)),
  response: optional(anything),
  /** As the reviewer's browser tells it: for statistics alone, and no part of the record. */
  viewedMs: optional(viewedMs),
}
/** A reviewer's decision. */
export interface DecideCase extends InsOf<typeof decision> {}

/** Which cases a list shows. */
export const caseFilter = {
  state: optional(caseMembers.state),
  /** A member's id, `me` or `none`. */
  assignee: optional(id),
  tier: optional(reviewTier),
  applicationId: optional(id),
  sessionId: optional(id),
  /** What rows have besides. */
  include: optional(just('presentation')),
}
/** Which cases a list shows. */
export interface CaseFilter extends InsOf<typeof caseFilter> {}
