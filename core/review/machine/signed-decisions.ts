import type { ReviewTier } from '../../base/events/review.ts'
import type { SigningRule } from '../../proof/webauthn/signing-rule.ts'

/** Whether a decision must be signed: by the application's rule, or since the member has ever enrolled a signing key. */
export function mustBeSigned(
  reviewTier: ReviewTier,
  { signedDecisions }: Pick<SigningRule, 'signedDecisions'>,
  memberSigns: boolean,
): boolean {
  switch (signedDecisions) {
    case 'required':
      return true
    case 'elevated':
      return memberSigns || reviewTier !== 'standard'
    case 'optional':
      return memberSigns
  }
}
