/**
 * Which decisions must be signed: those of members who sign, those of the tiers `high` and `urgent` too, or all. From
 * what lets the most through to what lets the least.
 */
export const signedDecisionModes = ['optional', 'elevated', 'required'] as const
/** One of `signedDecisionModes`. */
export type SignedDecisionMode = (typeof signedDecisionModes)[number]

/** What an application asks of the signatures of its reviewers. */
export interface SigningRule {
  readonly signedDecisions: SignedDecisionMode
  /** Refuses signatures of credentials that say that they may be copied to other devices. */
  readonly refuseSynced: boolean
}

/** Whether one rule lets a decision through that another refuses. */
export function weakens(from: SigningRule, to: SigningRule): boolean {
  const strength = (rule: SigningRule) => signedDecisionModes.indexOf(rule.signedDecisions)
  return strength(to) < strength(from) || (from.refuseSynced && !to.refuseSynced)
}
