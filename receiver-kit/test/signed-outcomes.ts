import {
  type AssertionParts,
  type AuthenticatorAlgorithm,
  createSoftwareAuthenticator,
} from '@countersign/conformance/authenticator'
import type { Outcome } from '@countersign/core/events'
import {
  type AskedCase,
  askedDigest,
  challengeOf,
  type DecisionSignature,
  type DecisionStatement,
  resumeTokenDigest,
  saltedDigest,
  statementOf,
} from '@countersign/core/webauthn'
import { sampleOutcome } from '@countersign/receiver-kit/testing'

export const rpId = 'portal.example.com'
export const origin = `https://${rpId}`
/** What the application gives a reviewer to decide. */
export const presentation = { action: 'pay', amount: '1200 EUR', to: 'ACME GmbH' }

/** What it asked, by its own records. */
export const asked: AskedCase = {
  tenantId: sampleOutcome().tenantId,
  applicationId: sampleOutcome().applicationId,
  sessionId: sampleOutcome().sessionId,
  checkpointId: sampleOutcome().checkpointId,
  resumeToken: 'opaque',
  presentation,
}

/** An outcome with its signature. */
export type Sent = Outcome & { readonly decisionSignature: unknown }

/** What a forger changes; all keys of the service are theirs, the reviewer's is not. */
export interface Forgery {
  /** Of the statement, before the reviewer signs it: something else than was asked. */
  readonly signed?: Partial<DecisionStatement>
  /** Of the statement, after. */
  readonly statement?: Partial<DecisionStatement>
  readonly assertion?: Partial<AssertionParts>
  /** Of the signature. */
  readonly signature?: Partial<DecisionSignature>
  /** Of the body. */
  readonly outcome?: Partial<Outcome>
}

/** A reviewer with an authenticator, who signs outcomes as the service would send them. */
export function createReviewer(algorithm: AuthenticatorAlgorithm = 'EdDSA') {
  const authenticator = createSoftwareAuthenticator({ algorithm, rpId, origin })
  const memberId = 'mem_ada'
  const { credentialId, publicKey } = authenticator

  function outcome(change: Partial<Outcome> = {}): Outcome {
    return sampleOutcome({
      resumeToken: asked.resumeToken,
      presentationDigest: '0f'.repeat(32),
      ...change,
    })
  }

  function send(decided: Outcome, forgery: Forgery = {}): Sent {
    const { tenantId, applicationId, sessionId, checkpointId, reviewCaseId, response } = decided
    const responseNonce = response === null ? null : 'ab'.repeat(32)
    const right = statementOf(
      {
        ...{ tenantId, applicationId, sessionId, checkpointId, reviewCaseId, memberId },
        resumeTokenDigest: resumeTokenDigest(decided.resumeToken),
        caseVersion: decided.caseVersion - 1,
        askedDigest: askedDigest(presentation),
        presentationDigest: decided.presentationDigest ?? '',
        decision: decided.decision as DecisionStatement['decision'],
        commentDigest: null,
        responseDigest: saltedDigest(responseNonce, response),
      },
      { issuedAt: '2026-03-01T08:59:00.000Z', nonce: 'bm9uY2U' },
    )
    const signed = { ...right, ...forgery.signed }
    const challenge = challengeOf(signed)
    const made = authenticator.assert({ challenge, ...forgery.assertion })
    const statement = { ...signed, ...forgery.statement }
    const signature = { statement, responseNonce, publicKey, ...made, ...forgery.signature }
    return { ...decided, ...forgery.outcome, decisionSignature: signature }
  }

  return {
    authenticator,
    memberId,
    key: { ...publicKey, kid: credentialId, memberId },
    outcome,
    send,
  }
}
