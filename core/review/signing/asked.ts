import type { Sha256 } from '../../base/canonical/digest.ts'
import {
  askedDigest,
  type ExpectedStatement,
  resumeTokenDigest,
  saltedDigest,
} from '../../proof/webauthn/statement.ts'
import type { DecideCase } from '../inputs.ts'
import { askedMember, goesWithItsRule, isAdopted } from '../machine/adoption.ts'
import { answersMember } from '../machine/presentation-digest.ts'
import type { ReviewCase } from '../records.ts'
import type { Presentation } from '../shapes.ts'
import type { TextNonces } from './shapes.ts'

/** What the application itself asked, whatever was asked and answered since; null where a policy alone opened the case. */
export function askedOf(review: ReviewCase): Presentation | null {
  const { presentation } = review
  if (presentation === null || goesWithItsRule(review)) return null
  if (isAdopted(review)) return presentation[askedMember] as Presentation
  if (!Object.hasOwn(presentation, answersMember)) return presentation
  const { [answersMember]: _, ...asked } = presentation
  return asked
}

/** Digest of what the application asked; the case's own where that is all that it shows. */
function digestOfAsked(review: ReviewCase, hash?: Sha256): string | null {
  const asked = askedOf(review)
  const { presentation, presentationDigest } = review
  return asked !== null && asked === presentation && presentationDigest !== null
    ? presentationDigest
    : askedDigest(asked, hash)
}

/** A decision as its reviewer makes it. */
export interface Choice extends Pick<DecideCase, 'decision' | 'presentationDigest' | 'comment'> {
  readonly response: ReviewCase['response']
  readonly memberId: string
  readonly nonces: TextNonces
}

/**
 * The statement that a signature of this decision on the case must be of, at whatever time. `hash`: SHA-256, by the
 * portable code unless given.
 */
export function expectedStatement(
  review: ReviewCase,
  { decision, presentationDigest, comment = null, response, memberId, nonces }: Choice,
  resumeToken: string | null,
  hash?: Sha256,
): ExpectedStatement {
  return {
    tenantId: review.tenantId,
    applicationId: review.applicationId,
    sessionId: review.sessionId,
    checkpointId: review.checkpointId,
    reviewCaseId: review.reviewCaseId,
    caseVersion: review.caseVersion,
    resumeTokenDigest: resumeTokenDigest(resumeToken, hash),
    askedDigest: digestOfAsked(review, hash),
    presentationDigest,
    decision,
    commentDigest: saltedDigest(nonces.comment, comment, hash),
    responseDigest: saltedDigest(nonces.response, response, hash),
    memberId,
  }
}
