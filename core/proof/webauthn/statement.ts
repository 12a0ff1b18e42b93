import { sha256 } from '@noble/hashes/sha2.js'
import { canonicalize } from '../../base/canonical/canonicalize.ts'
import { digestOf, type Sha256 } from '../../base/canonical/digest.ts'
import { type DecisionStatement, statementMembers } from '../../base/events/decision-signature.ts'
import { isObject, membersOf, mismatch } from '../../base/events/shape.ts'
import { hasLoneSurrogate } from '../../base/text/text-rules.ts'
import { msOfWritten } from '../../base/text/written-time.ts'
import { base64Url } from '../signing/encoding.ts'

/** The members of a statement that are known before it is issued. */
export type ExpectedStatement = Omit<
  DecisionStatement,
  'statementVersion' | 'statementType' | 'issuedAt' | 'nonce'
>

const utf8 = new TextEncoder()
const names: readonly string[] = membersOf(statementMembers).map(([name]) => name)
const atIssue: readonly string[] = ['statementVersion', 'statementType', 'issuedAt', 'nonce']

/** Names of `ExpectedStatement`. */
export const expectedNames = names.filter(
  (name) => !atIssue.includes(name),
) as readonly (keyof ExpectedStatement)[]

/** The statement for a decision, at its issue. */
export function statementOf(
  { tenantId, applicationId, sessionId, checkpointId, ...rest }: ExpectedStatement,
  { issuedAt, nonce }: Pick<DecisionStatement, 'issuedAt' | 'nonce'>,
): DecisionStatement {
  const { resumeTokenDigest, reviewCaseId, caseVersion, askedDigest, presentationDigest } = rest
  const { decision, commentDigest, responseDigest, memberId } = rest
  return {
    statementVersion: '1.0',
    statementType: 'review-decision',
    tenantId,
    applicationId,
    sessionId,
    checkpointId,
    resumeTokenDigest,
    reviewCaseId,
    caseVersion,
    askedDigest,
    presentationDigest,
    decision,
    commentDigest,
    responseDigest,
    memberId,
    issuedAt,
    nonce,
  }
}

/** Why a value is no statement of this version, null when it is one; it has exactly the members of one. */
export function faultOfStatement(value: unknown): string | null {
  if (!isObject(value)) return 'expected an object'
  const missing = names.find((name) => !Object.hasOwn(value, name))
  if (missing !== undefined) return `expected the member ${missing}`
  if (Object.keys(value).length > names.length) return `expected the members ${names.join(', ')}`
  const fault = mismatch(value, statementMembers)
  if (fault) return fault.detail
  // A time without a zone is another one for who signs it than for who verifies it.
  if (Number.isNaN(msOfWritten(String(value.issuedAt))))
    return 'expected issuedAt as an ISO 8601 time in UTC with milliseconds'
  // No portal makes one: it has no canonical form, and so no challenge.
  const isHalved = Object.values(value).some(
    (member) => typeof member === 'string' && hasLoneSurrogate(member),
  )
  return isHalved ? 'expected texts without half a surrogate pair' : null
}

/** The text that is hashed for the challenge: canonical JSON (RFC 8785). */
export function statementText(statement: object): string {
  return canonicalize(statement)
}

/** The WebAuthn challenge of a statement: the SHA-256 (`hash`, by the portable code unless given) of its text, base64url. */
export function challengeOf(statement: object, hash: Sha256 = sha256): string {
  return base64Url(hash(utf8.encode(statementText(statement))))
}

/**
 * Digest of what an operation is to set, which the statement of a change `weaken` has: `value` is its input without proofs.
 * Members that are undefined are left out. Throws as `canonicalize` does.
 */
export function settingDigest(operation: string, value: object, hash?: Sha256): string {
  const given = Object.entries(value).filter(([, member]) => member !== undefined)
  return digestOf({ operation, value: Object.fromEntries(given) }, hash)
}

/** Digest of what an application asked; null where it asked nothing. Throws as `canonicalize` does. */
export function askedDigest(
  asked: Readonly<Record<string, unknown>> | null,
  hash?: Sha256,
): string | null {
  return asked === null ? null : digestOf(asked, hash)
}

/** Digest of an application's resume token; null where it gave none. */
export function resumeTokenDigest(resumeToken: string | null, hash?: Sha256): string | null {
  return resumeToken === null ? null : digestOf(resumeToken, hash)
}

/** Digest of a comment or response with its nonce, which keeps it from being guessed; null where there is none. */
export function saltedDigest(nonce: string | null, text: unknown, hash?: Sha256): string | null {
  return text === null ? null : digestOf([nonce, text], hash)
}
