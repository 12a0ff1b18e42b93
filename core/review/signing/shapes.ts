import type { CredentialKey } from '../../base/ports/authenticators.ts'
import { longest } from '../../kernel/ledger/limits.ts'
import { object } from '../../kernel/members.ts'
import {
  anything,
  just,
  line,
  type OutsOf,
  oneOf,
  type RowsOf,
  type Shape,
} from '../../kernel/shape.ts'
import { digest, fromOne } from '../../kernel/usual.ts'
import { orNull } from '../../kernel/wrap.ts'
import { assertionMembers, writtenTime } from '../../organizations/authenticators/assertion.ts'

const id = line(longest.id)

/** What a reviewer's authenticator signs; the challenge is the SHA-256 of its canonical JSON (RFC 8785). */
const statement = {
  statementVersion: just('1.0'),
  statementType: just('review-decision'),
  tenantId: id,
  applicationId: id,
  sessionId: id,
  checkpointId: id,
  resumeTokenDigest: orNull(digest),
  reviewCaseId: id,
  caseVersion: fromOne,
  askedDigest: orNull(digest),
  presentationDigest: digest,
  decision: oneOf(['approved', 'rejected', 'response_submitted']),
  commentDigest: orNull(digest),
  responseDigest: orNull(digest),
  memberId: id,
  issuedAt: writtenTime,
  nonce: id,
}
export const statementShape = object(statement, 'DecisionStatement')

const nonces = { comment: orNull(digest), response: orNull(digest) }
/** 32 random bytes each, in hex: what the digests of a decision's texts cover beside them. */
export const textNonces = object(nonces)
/** 32 random bytes each, in hex: what the digests of a decision's texts cover beside them. */
export interface TextNonces extends RowsOf<typeof nonces> {}

/** A reviewer's signature of a decision, as it is given with it. */
const given = { statement: object(statement), nonces: textNonces, ...assertionMembers }
export const givenSignature = object(given)
/** A reviewer's signature of a decision, as it is given with it. */
export interface GivenSignature extends RowsOf<typeof given> {}

const publicKey: Shape<CredentialKey> = {
  ...(anything as Shape<CredentialKey>),
  json: { input: { type: 'object' }, answer: { type: 'object', additionalProperties: {} } },
}

const stored = { statement: statementShape, ...assertionMembers, publicKey }
/** A signature as it is stored with its case: ids and digests alone, which no erasure takes. */
export const storedSignature = object(stored, 'SealedSignature')
/** A signature as it is stored with its case. */
export interface StoredSignature extends RowsOf<typeof stored> {}

const shown = { ...stored, responseNonce: orNull(digest) }
/** A reviewer's own signature of a decision, with the nonce of its response, null without one and after an erasure. */
export interface DecisionSignatureView extends OutsOf<typeof shown> {}
export const shownSignature: Shape<
  RowsOf<typeof shown>,
  RowsOf<typeof shown>,
  DecisionSignatureView
> = object(shown, 'DecisionSignature')
