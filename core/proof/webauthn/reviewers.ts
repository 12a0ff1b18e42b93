import { CanonicalizationError } from '../../base/canonical/canonicalize.ts'
import { digestOf } from '../../base/canonical/digest.ts'
import type { DecisionSignature } from '../../base/events/decision-signature.ts'
import type { Outcome } from '../../base/events/outcome.ts'
import { isObject } from '../../base/events/shape.ts'
import type { SignedBytes } from './assertion-key.ts'
import { type AssertionGiven, checkAssertion, wrongSignature } from './check-assertion.ts'
import { type DecisionTimes, faultOfTimes } from './decision-times.ts'
import { resumeTokenDigest, saltedDigest } from './statement.ts'

/** Public key of a reviewer's authenticator as a JWK, as an application pinned it; `GET /v1/reviewer-keys` lists them. */
export interface ReviewerKey {
  readonly [member: string]: unknown
  /** Id of the credential, base64url. */
  readonly kid: string
  /** The member whose key it is; a decision of another one is not signed by it. */
  readonly memberId: string
  /** When it was revoked; a key that was is used no more. */
  readonly until?: string | null
}

/** What was asked, or its digest: hex SHA-256 of its canonical JSON (RFC 8785). */
export type AskedDocument = string | Readonly<Record<string, unknown>>

/** What an application asked, by its own records: what comes with an outcome is compared with it, and never taken for it. */
export interface AskedCase {
  readonly tenantId: string
  readonly applicationId: string
  readonly sessionId: string
  /** Holds nothing that a redaction policy of the application takes out: what is signed is the id without that. */
  readonly checkpointId: string
  /** Null where it gave none. */
  readonly resumeToken: string | null
  readonly presentation: AskedDocument
  /** The member for whom it was asked, who may not decide it. */
  readonly requestedBy?: string | null | undefined
}

/** How an application verifies its reviewers' own signatures. */
export interface Reviewers {
  /** Host of the portal whose pages ask for signatures, or a parent domain of it. */
  readonly rpId: string
  /** Origins of those pages, such as `https://portal.example.com`. */
  readonly origins: readonly string[]
  /**
   * Pinned keys, or what finds one by its credential and member, as it was pinned: a key without its own `kid` and
   * `memberId` is used in neither way, nor is one of another credential or member, or one that was revoked. Null where
   * none is pinned.
   */
  readonly keys:
    | readonly ReviewerKey[]
    | ((credentialId: string, memberId: string) => Promise<ReviewerKey | null>)
  /** Refuses credentials that say that they can be synced to other devices. */
  readonly refuseSynced?: boolean
  /**
   * From a signature until its outcome has to come, ms; 24 hours unless given. Whoever has the service may keep an approval
   * back for so long. A rejection counts whenever it comes.
   */
  readonly maxAgeMs?: number
}

/** How an application verifies signatures of what it requests itself: one for another application approves nothing. */
export interface ReviewersOfApplication extends Reviewers {
  /** The application's own ids, by its own settings and not by what the service answers. */
  readonly tenantId: string
  readonly applicationId: string
}

/** The outcome of a case, with the signature that came with it. */
export type SignedOutcome = Pick<
  Outcome,
  | 'tenantId'
  | 'applicationId'
  | 'sessionId'
  | 'checkpointId'
  | 'resumeToken'
  | 'reviewCaseId'
  | 'caseVersion'
  | 'presentationDigest'
  | 'decision'
  | 'response'
> & { readonly decisionSignature?: unknown }

/** Base64url, of at most the 1023 bytes that a credential's id may have (WebAuthn Level 3, 4). */
const credentialIdForm = /^[\w-]{1,1364}$/
/** What a member's id may be, so that it can be looked up anywhere. */
const memberIdForm = /^[\x21-\x7e]{1,200}$/

/** Why a checkpoint may be another one without a forger. */
const ofRedaction =
  '; a redaction policy of the application may have changed the id of the checkpoint: ask by ids that hold nothing that a policy takes out'

/** Verifies the bytes of a signature, as `verifySignedBytes` does. */
export type VerifyBytes = (signed: SignedBytes) => boolean | Promise<boolean>

/** Why an outcome does not count as what its reviewer decided. */
export type SignatureFault =
  /** No pinned key of a reviewer signed this decision of what was asked. */
  | { readonly code: 'not_signed'; readonly detail: string }
  /** One did, but not when it may have been signed; `signedAt`: when, by the clock of who had it signed. */
  | { readonly code: 'out_of_time'; readonly detail: string; readonly signedAt: string }

/**
 * Why an outcome is not signed by a pinned key of a reviewer for what was asked, in its time; null where it is. `asked`:
 * null for what the application never asked, which nobody signs; its members are compared with the outcome and the
 * statement, as they are at the call: whoever gave it may fill it anew before this resolves. `times`: by the application's
 * own clock and records; a rejection permits nothing, and counts whenever it was signed. The key that comes with the outcome
 * is never looked at.
 */
export async function faultOfOutcome(
  outcome: SignedOutcome,
  asked: AskedCase | null,
  times: DecisionTimes,
  reviewers: Reviewers,
  verify: VerifyBytes,
): Promise<SignatureFault | null> {
  const { decisionSignature: signature } = outcome
  if (!isObject(signature)) return unsigned('expected a signature of the reviewer, got none')
  if (!asked)
    return unsigned(`expected an outcome of what was asked, and nothing was${ofRedaction}`)
  const other = memberOfAnother(outcome, asked)
  if (other)
    return unsigned(
      `asked: expected the ${other} that was asked, got another${other === 'checkpointId' ? ofRedaction : ''}`,
    )
  // Of another form it can not be counted from, and every later try would fail as this one.
  if (!Number.isSafeInteger(outcome.caseVersion))
    return unsigned('expected the version of the case as a number')
  const { statement, credentialId } = signature
  if (!isObject(statement) || !hasForm(statement.memberId, memberIdForm))
    return unsigned('expected a statement of a member')
  // An application's database may refuse other text, and the outcome would be tried for ever.
  if (!hasForm(credentialId, credentialIdForm))
    return unsigned('expected the id of a credential in base64url')
  if (statement.memberId === asked.requestedBy) return unsigned('the requester signed it')
  const given = signature as unknown as DecisionSignature
  const document = inCanonicalForm(() => digestOfDocument(asked.presentation))
  if (!document.ok) return unsigned(`asked: ${document.detail}`)
  const expected = inCanonicalForm(() => expectedOf(outcome, asked, document.value, given))
  if (!expected.ok) return unsigned(`form: ${expected.detail}`)
  const publicKey = await pinnedKey(reviewers, credentialId, statement.memberId)
  if (publicKey === null)
    return unsigned('expected a signature by a pinned key of its kid and memberId')
  const { rpId, origins, refuseSynced = false, maxAgeMs } = reviewers
  const credential = { credentialId, publicKey }
  const whole = inCanonicalForm(() =>
    checkAssertion({
      ...{ expected: expected.value, signature: given, credential },
      ...{ rpId, origins, refuseSynced },
    }),
  )
  if (!whole.ok) return unsigned(`form: ${whole.detail}`)
  const checked = whole.value
  const refusal = !checked.ok ? checked : (await verify(checked.left)) ? null : wrongSignature
  if (refusal) {
    const isElsewhere = refusal.check === 'expected' && refusal.detail.endsWith('checkpointId')
    return unsigned(`${refusal.check}: ${refusal.detail}${isElsewhere ? ofRedaction : ''}`)
  }
  if (outcome.decision === 'rejected') return null
  const { issuedAt: signedAt } = given.statement
  const detail = faultOfTimes(signedAt, times, maxAgeMs)
  return detail === null ? null : { code: 'out_of_time', detail, signedAt }
}

/** As it was sent: what JSON leaves out was never asked. */
function digestOfDocument(document: AskedDocument): string {
  return typeof document === 'string' ? document : digestOf(jsonOf(document))
}

/** What would be sent of a document; throws a `CanonicalizationError` for what has no JSON, which no request sends. */
function jsonOf(document: object): unknown {
  try {
    return JSON.parse(JSON.stringify(document))
  } catch (error) {
    throw new CanonicalizationError('', `the document has no JSON (${error})`)
  }
}

type InForm<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly detail: string }

/** What comes of JSON, or why it has no canonical form: nobody signed that, and no later try can find otherwise. */
function inCanonicalForm<T>(make: () => T): InForm<T> {
  try {
    return { ok: true, value: make() }
  } catch (error) {
    if (!(error instanceof CanonicalizationError)) throw error
    return { ok: false, detail: error.message }
  }
}

function hasForm(value: unknown, form: RegExp): value is string {
  return typeof value === 'string' && form.test(value)
}

function unsigned(detail: string): SignatureFault {
  return { code: 'not_signed', detail }
}

async function pinnedKey(
  { keys }: Reviewers,
  credentialId: string,
  memberId: string,
): Promise<ReviewerKey | null> {
  const key =
    typeof keys === 'function'
      ? await keys(credentialId, memberId)
      : keys.find(({ kid }) => kid === credentialId)
  if (!key) return null
  // The member that the statement names is the word of who had it signed: the key's own says who signed.
  const { kid, memberId: owner, until = null } = key
  return kid === credentialId && owner === memberId && until === null ? key : null
}

/** The first member in which an outcome is of something else than was asked; null where it is of that. */
function memberOfAnother(outcome: SignedOutcome, asked: AskedCase): keyof AskedCase | null {
  for (const name of ['tenantId', 'applicationId', 'sessionId', 'checkpointId'] as const)
    if (outcome[name] !== asked[name]) return name
  // One that was left out of `asked` is not taken for null: it may have been given.
  if ((outcome.resumeToken ?? null) !== asked.resumeToken) return 'resumeToken'
  return isObject(asked.presentation) || typeof asked.presentation === 'string'
    ? null
    : 'presentation'
}

/** What the statement must say; `askedDigest`: of what was asked. */
function expectedOf(
  outcome: SignedOutcome,
  { tenantId, applicationId, sessionId, checkpointId, resumeToken }: AskedCase,
  askedDigest: string,
  { statement, responseNonce }: DecisionSignature,
): AssertionGiven['expected'] {
  const { reviewCaseId } = outcome
  return {
    ...{ tenantId, applicationId, sessionId, checkpointId, reviewCaseId },
    resumeTokenDigest: resumeTokenDigest(resumeToken),
    // The version that the reviewer saw; the decision made the next one.
    caseVersion: outcome.caseVersion - 1,
    askedDigest,
    presentationDigest: outcome.presentationDigest ?? '',
    decision: outcome.decision as typeof statement.decision,
    responseDigest: saltedDigest(responseNonce, outcome.response ?? null),
    // No outcome has the comment, and the member is the one whose key is pinned.
    commentDigest: statement.commentDigest,
    memberId: statement.memberId,
  }
}
