import { flag, oneOf } from '../kernel/shape.ts'
import { type SigningRule, signedDecisionModes } from '../proof/webauthn/signing-rule.ts'

/** The members of a `SigningRule`, as they are set and stored. */
export const signingRule = { signedDecisions: oneOf(signedDecisionModes), refuseSynced: flag }

/** That of an application which has set none. */
export const usualSigningRule: SigningRule = { signedDecisions: 'optional', refuseSynced: false }
