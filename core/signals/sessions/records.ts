import type { Collection } from '../../ports/store.ts'

/** A member's note on a session or one of its steps. */
export interface SessionAnnotation {
  readonly tenantId: string
  readonly applicationId: string
  readonly sessionId: string
  readonly annotationId: string
  readonly stepId: string | null
  /** Null where none was given, and after an erasure. */
  readonly label: string | null
  /** Null after an erasure. */
  readonly text: string | null
  /** The member's id. */
  readonly createdBy: string
  /** Ms. */
  readonly createdAt: number
}

export const sessionAnnotations: Collection<SessionAnnotation> = {
  name: 'sessionAnnotations',
  key: ['tenantId', 'applicationId', 'sessionId', 'annotationId'],
  columns: {
    tenantId: 'text',
    applicationId: 'text',
    sessionId: 'text',
    annotationId: 'text',
  },
  indexes: { byApplication: ['applicationId'] },
  tenant: 'tenantId',
  purge: { application: 'applicationId' },
  retain: { work: 'sessionRetention' },
}

/** A member's verdict on a whole session; it decides no case and resumes nothing. */
export interface SessionReview {
  readonly tenantId: string
  readonly applicationId: string
  readonly sessionId: string
  readonly sessionReviewId: string
  /** Of the session, when it was reviewed. */
  readonly revision: number
  /** Of that revision's seal; null where it was not sealed yet. */
  readonly leafHash: string | null
  readonly decision: 'approved' | 'rejected'
  /** Null where none was given, and after an erasure. */
  readonly comment: string | null
  readonly reviewerId: string
  /** As it was then. */
  readonly reviewerName: string
  /** Ms. */
  readonly reviewedAt: number
}

export const sessionReviews: Collection<SessionReview> = {
  name: 'sessionReviews',
  key: ['tenantId', 'applicationId', 'sessionId', 'sessionReviewId'],
  columns: {
    tenantId: 'text',
    applicationId: 'text',
    sessionId: 'text',
    sessionReviewId: 'text',
  },
  indexes: { byApplication: ['applicationId'] },
  tenant: 'tenantId',
  purge: { application: 'applicationId' },
  retain: { work: 'sessionRetention' },
}
