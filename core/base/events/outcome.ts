import type { ObjectOf } from './shape.ts'

/** The `type` of the outcome callback's body. */
export const outcomeType = 'review.outcome'

/** Members of the outcome callback (interface, Outcome callback). */
export const outcomeMembers = {
  id: 'text',
  type: ['review.outcome'],
  schemaVersion: [1],
  time: 'time',
  tenantId: 'text',
  applicationId: 'text',
  sessionId: 'text',
  reviewCaseId: 'text',
  caseVersion: 'count',
  decision: ['approved', 'rejected', 'response_submitted', 'cancelled', 'expired'],
  checkpointId: 'text',
  'resumeToken?': 'text',
  'presentationDigest?': 'text',
  'response?': 'json',
  caseUrl: 'text',
} as const

/**
 * Body of the outcome callback, the only message that lets paused work go on; an event never does. `id` (`cb_…`) is
 * the same for every attempt and replay; `resumeToken` is the application's own opaque value, given at opening.
 */
export type Outcome = ObjectOf<typeof outcomeMembers>

/** How a case can end. */
export type OutcomeDecision = Outcome['decision']
