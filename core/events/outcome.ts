import type { Decision } from './review.ts'

/** The `type` of the outcome callback's body. */
export const outcomeType = 'review.outcome'

/** How a case can end. */
export type OutcomeDecision = Exclude<Decision, 'follow_up_required'>

/** Body of the outcome callback, the only message that lets paused work go on; an event never does. */
export interface Outcome {
  /** `cb_…`, of the step that closed the case; the same for every attempt and replay. */
  readonly id: string
  readonly type: typeof outcomeType
  readonly schemaVersion: 1
  readonly time: string
  readonly tenantId: string
  readonly applicationId: string
  readonly sessionId: string
  readonly reviewCaseId: string
  readonly caseVersion: number
  readonly decision: OutcomeDecision
  readonly checkpointId: string
  /** The application's own opaque value, given when the case was opened. */
  readonly resumeToken: string | null
  readonly presentationDigest: string | null
  readonly response: unknown
  readonly caseUrl: string
}
