import {
  type AuthenticatorAlgorithm,
  createSoftwareAuthenticator,
  type SignedCase,
} from '@countersign/conformance/authenticator'
import { challengeOf, statementOf } from '@countersign/core/webauthn'

const rpId = 'portal.example.com'
const origin = `https://${rpId}`

/** A case that was approved by a signature of this algorithm. */
export function signedCase(algorithm: AuthenticatorAlgorithm): SignedCase {
  const authenticator = createSoftwareAuthenticator({ algorithm, rpId, origin })
  const { credentialId, publicKey } = authenticator
  const expected = {
    tenantId: 'ten_1',
    applicationId: 'app_1',
    sessionId: 'session-1',
    checkpointId: 'before-payment',
    resumeTokenDigest: '1'.repeat(64),
    reviewCaseId: 'rc_1',
    caseVersion: 2,
    askedDigest: '2'.repeat(64),
    presentationDigest: '3'.repeat(64),
    decision: 'approved',
    commentDigest: null,
    responseDigest: null,
    memberId: 'mem_1',
  } as const
  const statement = statementOf(expected, {
    issuedAt: '2026-11-26T10:00:00.000Z',
    nonce: 'bm9uY2U',
  })
  const signature = { statement, ...authenticator.assert({ challenge: challengeOf(statement) }) }
  const credential = { credentialId, publicKey }
  return {
    authenticator,
    statement,
    given: { expected, signature, credential, rpId, origins: [origin] },
  }
}
