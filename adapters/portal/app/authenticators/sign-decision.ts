import type { CaseAnswer } from '@countersign/client'
import { digestOf } from '@countersign/core/canonical'
import { challengeOf, isAround } from '@countersign/core/webauthn'
import { api } from '../client/api.ts'
import { session } from '../session.ts'
import { signChallenge } from './browser.ts'
import { NotSigned } from './not-signed.ts'

/** A decision as it is sent. */
export interface Choice {
  readonly presentationDigest: string
  readonly decision: 'approved' | 'rejected' | 'response_submitted'
  readonly comment: string | null
  readonly response?: unknown
}

/** Whether the member has an authenticator that signs, and so signs each decision. */
export async function signs(): Promise<boolean> {
  const { authenticators } = await api.authenticators.list({})
  return authenticators.some(({ use, revokedAt }) => use === 'signing' && revokedAt === null)
}

/**
 * Signs a decision on the case that is drawn. All that this page knows of the statement is computed here, and the
 * challenge too; a statement of anything else is not signed, nor one of another time than the device's: who would hold a
 * decision back can't have it dated ahead. Rejects with `NotSigned`.
 */
export async function signDecision(shown: CaseAnswer, choice: Choice) {
  const { reviewCaseId, caseVersion } = shown
  const stated = await api.reviewCases.stateDecision({ reviewCaseId, caseVersion, ...choice })
  const { statement, nonces, options } = stated
  const { comment, response = null } = choice
  const expected = {
    statementVersion: '1.0',
    statementType: 'review-decision',
    ...{ tenantId: shown.tenantId, applicationId: shown.applicationId },
    ...{ sessionId: shown.sessionId, checkpointId: shown.checkpoint.checkpointId },
    ...{ reviewCaseId, caseVersion, decision: choice.decision },
    askedDigest: askedDigestOf(shown),
    presentationDigest: choice.presentationDigest,
    commentDigest: comment === null ? null : digestOf([nonces.comment, comment]),
    responseDigest: response === null ? null : digestOf([nonces.response, response]),
    memberId: session.value?.member.memberId,
  }
  const members = new Map(Object.entries(statement))
  const isOther = Object.entries(expected).some(([name, value]) => members.get(name) !== value)
  if (isOther)
    throw new NotSigned(
      'The service asked to sign something else than what is drawn here and was chosen. Nothing was signed; tell an admin.',
    )
  const now = Date.now()
  if (!isAround(statement.issuedAt, now))
    throw new NotSigned(
      `The service dated the decision ${statement.issuedAt}, and this device says that it is ${new Date(now).toISOString()}. Nothing was signed: set the clock of the device, or tell an admin if it is right.`,
    )
  return { statement, nonces, ...(await signChallenge(options, challengeOf(statement))) }
}

/** Of what the application itself asked, as it is drawn; null where a policy alone opened the case. */
function askedDigestOf({ presentation, adopted, history }: CaseAnswer): string | null {
  if (presentation === null) return null
  if (adopted) return digestOf(presentation.application)
  if (history[0]?.actor === 'system') return null
  const { followUps: _, ...asked } = presentation
  return digestOf(asked)
}
