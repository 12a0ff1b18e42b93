import {
  type AskedCase,
  askedDigest,
  challengeOf,
  type DecisionStatement,
  type ReviewerKey,
  resumeTokenDigest,
  saltedDigest,
  statementOf,
  usualMaxAgeMs,
} from '@countersign/core/webauthn'
import {
  type AssertionParts,
  type AuthenticatorAlgorithm,
  coseAlgorithms,
  createSoftwareAuthenticator,
  freshPrivateKey,
  type SoftwareAuthenticator,
} from '../authenticator/index.ts'

const rpId = 'portal.example.com'
const origin = `https://${rpId}`

/**
 * What the endpoint under test pins, and what it must say that it asked at every checkpoint, beside its own organization
 * and application.
 */
export interface PinnedForSuite {
  readonly rpId: string
  readonly origins: readonly string[]
  /** One of each algorithm, and one that was revoked (`until`). */
  readonly keys: readonly ReviewerKey[]
  /** From a signature until its outcome has to come, ms. */
  readonly maxAgeMs: number
  readonly asked: Pick<AskedCase, 'sessionId' | 'resumeToken' | 'presentation'>
}

/** Who signs an outcome of the suite: a pinned key, the revoked one, or one that nobody pinned. */
export type Signer = AuthenticatorAlgorithm | 'revoked' | 'stranger'

/** How a forged outcome departs from one that its reviewer signed. */
export interface OutcomeForgery {
  readonly by?: Signer
  /** Of the outcome, before it is signed. */
  readonly outcome?: Partial<
    Pick<SignableOutcome, 'tenantId' | 'applicationId' | 'sessionId' | 'resumeToken'>
  >
  /** When it is signed, ms from now on. */
  readonly signedAfterMs?: number
  /** Of the statement, before it is signed. */
  readonly signed?: Partial<DecisionStatement>
  /** Of the statement, after. */
  readonly statement?: Partial<DecisionStatement>
  readonly assertion?: Partial<AssertionParts>
  /** Says that another key of the suite made the signature. */
  readonly credentialOf?: Signer
  readonly unsigned?: boolean
}

/** Members of an outcome that its statement is compared with. */
export interface SignableOutcome {
  readonly tenantId: string
  readonly applicationId: string
  readonly sessionId: string
  readonly checkpointId: string
  readonly resumeToken: string | null
  readonly reviewCaseId: string
  readonly caseVersion: number
  readonly decision: string
  readonly presentationDigest: string | null
  readonly response: unknown
}

/** Reviewers with authenticators, for a suite and for the endpoint that it judges. */
export interface SuiteReviewers {
  readonly pinned: PinnedForSuite
  /** Private keys by signer, PKCS #8 in PEM: for `createSuiteReviewers` of a later run. */
  readonly privateKeys: Readonly<Record<Signer, string>>
  /** The member `decisionSignature` of this outcome. */
  sign(outcome: SignableOutcome, forgery?: OutcomeForgery): object | null
}

/** Signers and their algorithms. */
const algorithmOf = {
  EdDSA: 'EdDSA',
  ES256: 'ES256',
  RS256: 'RS256',
  revoked: 'EdDSA',
  stranger: 'RS256',
} as const satisfies Record<Signer, AuthenticatorAlgorithm>
/** Who signs outcomes of a suite. */
export const signerNames = Object.keys(algorithmOf) as readonly Signer[]

/**
 * Creates reviewers, with fresh keys unless given those of an earlier run: pin `pinned` at the endpoint, and give them to
 * the suite.
 */
export function createSuiteReviewers(
  privateKeys: Readonly<Record<Signer, string>> = freshKeys(),
): SuiteReviewers {
  const made = (name: Signer) =>
    createSoftwareAuthenticator({
      ...{ algorithm: algorithmOf[name], rpId, origin },
      privateKey: privateKeys[name],
    })
  const algorithms = Object.keys(coseAlgorithms) as AuthenticatorAlgorithm[]
  const signers = new Map<Signer, SoftwareAuthenticator>(
    signerNames.map((name) => [name, made(name)]),
  )
  const memberId = 'mem_reviewer'
  const presentation = { action: 'pay', amount: '1200 EUR', to: 'ACME GmbH' }
  const asked = { sessionId: 'ses_conformance', resumeToken: 'token_conformance', presentation }
  const signerOf = (name: Signer) => signers.get(name) ?? made(name)
  const keys = [...algorithms, 'revoked' as const].map((name) => {
    const { publicKey, credentialId: kid } = signerOf(name)
    const until = name === 'revoked' ? '2026-01-01T00:00:00.000Z' : null
    return { ...publicKey, kid, memberId, until }
  })
  return {
    pinned: { rpId, origins: [origin], keys, maxAgeMs: usualMaxAgeMs, asked },
    privateKeys,
    sign(outcome, { by = 'EdDSA', unsigned = false, signedAfterMs = 0, ...forgery } = {}) {
      if (unsigned) return null
      const issuedAt = new Date(Date.now() + signedAfterMs).toISOString()
      const { tenantId, applicationId, sessionId, checkpointId, reviewCaseId } = outcome
      const responseNonce = outcome.response === null ? null : 'ab'.repeat(32)
      const right = statementOf(
        {
          ...{ tenantId, applicationId, sessionId, checkpointId, reviewCaseId, memberId },
          resumeTokenDigest: resumeTokenDigest(outcome.resumeToken),
          caseVersion: outcome.caseVersion - 1,
          askedDigest: askedDigest(presentation),
          presentationDigest: outcome.presentationDigest ?? '',
          decision: outcome.decision as DecisionStatement['decision'],
          commentDigest: null,
          responseDigest: saltedDigest(responseNonce, outcome.response),
        },
        { issuedAt, nonce: 'bm9uY2U' },
      )
      const signed = { ...right, ...forgery.signed }
      const { publicKey, assert } = signerOf(by)
      const assertion = assert({ challenge: challengeOf(signed), ...forgery.assertion })
      const { credentialId } = signerOf(forgery.credentialOf ?? by)
      const statement = { ...signed, ...forgery.statement }
      return { statement, responseNonce, publicKey, ...assertion, credentialId }
    },
  }
}

function freshKeys(): Readonly<Record<Signer, string>> {
  const { EdDSA, ES256, RS256, revoked, stranger } = algorithmOf
  return {
    EdDSA: freshPrivateKey(EdDSA),
    ES256: freshPrivateKey(ES256),
    RS256: freshPrivateKey(RS256),
    revoked: freshPrivateKey(revoked),
    stranger: freshPrivateKey(stranger),
  }
}
