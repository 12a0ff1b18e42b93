/** Reason categories by group (interface, Reason categories). */
export const reasonGroups = {
  why: ['policy_requires_human_review', 'high_risk_action', 'sensitive_data'],
  assignment: ['claimed', 'reassigned'],
  cancellation: [
    'end_user_cancelled',
    'parent_workflow_ended',
    'safer_alternative_completed',
    'checkpoint_unavailable',
    'checkpoint_superseded',
    'application_lifecycle',
    'policy_rule_withdrawn',
  ],
  time: ['overdue', 'expired'],
  continuation: ['resumed', 'terminated', 'remained_paused', 'superseded', 'failed'],
  callback: ['callback_delivery_failed'],
  else: ['other'],
} as const
/** Why a review is needed. */
export type WhyReason = (typeof reasonGroups.why)[number]
/** Why a case was cancelled. */
export type CancellationReason = (typeof reasonGroups.cancellation)[number]
/** What the application did with the outcome. */
export type ContinuationOutcome = (typeof reasonGroups.continuation)[number]
/** Every reason category; receivers treat an unknown one as `other`. */
export type ReasonCategory = (typeof reasonGroups)[keyof typeof reasonGroups][number]
