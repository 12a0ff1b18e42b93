import { type Body, bytesOf, freshId, type Signed } from '../receiver/messages.ts'
import type { Session } from '../receiver/session.ts'

/** The organization of outcomes unless another is given. */
export const suiteTenantId = 'ten_conformance'

/** What the outcome handler under test serves. */
export interface ServedApplication {
  readonly applicationId: string
  /** `ten_conformance` unless given. */
  readonly tenantId?: string | undefined
}

/** The body of an outcome callback for any application of the organization. */
export function outcomeOf(served: ServedApplication, change: Body) {
  const { applicationId, tenantId = suiteTenantId } = served
  const reviewCaseId = String(change.reviewCaseId ?? freshId('rc'))
  return {
    id: freshId('cb'),
    type: 'review.outcome',
    schemaVersion: 1,
    time: new Date().toISOString(),
    tenantId,
    applicationId,
    sessionId: 'ses_conformance',
    reviewCaseId,
    caseVersion: 3,
    decision: 'approved',
    checkpointId: freshId('step'),
    resumeToken: null,
    presentationDigest: '0f'.repeat(32),
    response: null,
    caseUrl: `https://ingest.example/v1/review-cases/${reviewCaseId}`,
    ...change,
  }
}

/** A genuine outcome callback, as the service would sign it for any application of the organization. */
export function signOutcome(session: Session, served: ServedApplication, change: Body): Signed {
  const outcome = outcomeOf(served, change)
  const { applicationId } = outcome
  const label = `review.outcome ${outcome.decision} for ${applicationId}`
  return session.signBytes(outcome.id, bytesOf(JSON.stringify(outcome)), label)
}
