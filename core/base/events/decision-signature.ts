import type { ObjectOf } from './shape.ts'

/** Members of what a reviewer's authenticator signs; it has exactly these, null where there is none. */
export const statementMembers = {
  statementVersion: ['1.0'],
  statementType: ['review-decision'],
  tenantId: 'text',
  applicationId: 'text',
  sessionId: 'text',
  checkpointId: 'text',
  'resumeTokenDigest?': 'text',
  reviewCaseId: 'text',
  caseVersion: 'count',
  'askedDigest?': 'text',
  presentationDigest: 'text',
  decision: ['approved', 'rejected', 'response_submitted'],
  'commentDigest?': 'text',
  'responseDigest?': 'text',
  memberId: 'text',
  issuedAt: 'time',
  nonce: 'text',
} as const

/**
 * What a reviewer decided, for what, and what was drawn; the challenge that the authenticator signs is the SHA-256 of
 * its canonical JSON (RFC 8785). Digests are lower-case hex SHA-256 of canonical JSON: of the resume token, of what the
 * application asked, of all that was drawn, and of `[nonce, text]` for comment and response. `caseVersion` is the
 * version that the reviewer saw; `nonce` and `issuedAt` are the service's.
 */
export type DecisionStatement = ObjectOf<typeof statementMembers>

/** Members of a reviewer's own signature of a decision. */
export const decisionSignatureMembers = {
  statement: statementMembers,
  'responseNonce?': 'text',
  credentialId: 'text',
  publicKey: 'object',
  authenticatorData: 'text',
  clientDataJSON: 'text',
  signature: 'text',
} as const

/**
 * A reviewer's own signature of a decision (WebAuthn assertion); bytes are base64url. `publicKey` is the credential's
 * JWK as the service has it, which proves nothing by itself: verify with a key that you pinned. `responseNonce` is the
 * nonce of `statement.responseDigest`, null without a response and after an erasure.
 */
export type DecisionSignature = ObjectOf<typeof decisionSignatureMembers>
