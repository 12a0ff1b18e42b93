import { flag, oneOf, type RowsOf, type Shape } from '../kernel/shape.ts'

/** Which decisions must be signed: those of members who sign, those of the tiers `high` and `urgent` too, or all. */
export const signedDecisionModes = ['optional', 'elevated', 'required'] as const
/** One of `signedDecisionModes`. */
export type SignedDecisionMode = (typeof signedDecisionModes)[number]

export const signingRule = {
  signedDecisions: oneOf(signedDecisionModes) satisfies Shape<SignedDecisionMode>,
  /** Refuses signatures of credentials that say that they may be copied to other devices. */
  refuseSynced: flag,
}
/** What an application asks of the signatures of its reviewers. */
export interface SigningRule extends RowsOf<typeof signingRule> {}

/** That of an application which has set none. */
export const usualSigningRule: SigningRule = { signedDecisions: 'optional', refuseSynced: false }

/** Whether one rule lets a decision through that another refuses. */
export function weakens(from: SigningRule, to: SigningRule): boolean {
  const strength = (rule: SigningRule) => signedDecisionModes.indexOf(rule.signedDecisions)
  return strength(to) < strength(from) || (from.refuseSynced && !to.refuseSynced)
}
