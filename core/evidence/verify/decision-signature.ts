import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import type { DecisionSignature } from '../../base/events/decision-signature.ts'
import { isObject } from '../../base/events/shape.ts'
import { askedDigest, type ExpectedStatement } from '../../proof/webauthn/statement.ts'
import { verifyAssertion } from '../../proof/webauthn/verify-assertion.ts'
import type { Report } from './finding.ts'
import {
  base64UrlBytes,
  bytesOrNull,
  type Json,
  msOf,
  numberOf,
  objectAt,
  objectsAt,
  textAt,
  textOf,
} from './read.ts'
import { isSameKey } from './reviewer-keys.ts'

/** How long before the decision its statement may be issued, ms: it is good for half of it. */
const longestStatementMs = 600_000

/**
 * Checks a reviewer's own signature of a decision against all that the case tells, and, where the pack has the keys of
 * authenticators, that the key was the reviewer's then. A decision without one is noted as recorded.
 */
export function checkDecision(review: Json, report: Report): void {
  const { state, decisionSignature = null } = review
  if (decisionSignature === null) {
    if (state === 'decided')
      report.noted('decision', 'Recorded by the service: the reviewer did not sign it.')
    return
  }
  const signature = objectAt(review, 'decisionSignature')
  const statement = signature && objectAt(signature, 'statement')
  if (state !== 'decided' || !signature || !statement) {
    report.failed('decision', 'It has a signature that is none of a decision.')
    return
  }
  const fault = faultOfKey(review, signature, report) ?? faultOfSignature(review, signature, report)
  if (fault !== null) report.failed('decision', fault)
  else {
    noteMove(review, statement, report)
    report.verified(
      'decision',
      `Signed by the reviewer ${textOf(review.decidedBy)} at ${textOf(statement.issuedAt)} by the credential ${textOf(signature.credentialId)}${report.reviewers ? '' : ', whose key came with it'}.`,
    )
  }
}

/** Whether a case went to another session after its decision: its spans named that one late. */
function hasMoved(review: Json): boolean {
  const steps = (objectsAt(review, 'history') ?? []).map(({ step }) => step)
  const decided = steps.indexOf('decided')
  return decided >= 0 && steps.indexOf('session_moved', decided) > 0
}

/** The id of a trace, which a session goes by whose spans have not named it. */
const traceId = /^[0-9a-f]{32}$/

function noteMove({ sessionId }: Json, statement: Json, report: Report): void {
  if (statement.sessionId !== sessionId)
    report.noted(
      'decision',
      `It was signed while its session was ${textOf(statement.sessionId)}, which got its name later.`,
    )
}

function faultOfSignature(review: Json, signature: Json, report: Report): string | null {
  const place = placeOf(signature)
  const publicKey = signature.publicKey
  const given = signature as unknown as DecisionSignature
  const credentialId = textAt(signature, 'credentialId') ?? ''
  const key = report.reviewers?.keys.get(credentialId)
  if (place === null) return 'It was signed on no page of a relying party.'
  const { origin, rpId } = place
  if (key && key.rpId !== rpId) return 'It was signed for another relying party than its key.'
  const verdict = verifyAssertion({
    expected: expectedOf(review, given),
    signature: given,
    credential: { credentialId, publicKey },
    rpId,
    origins: [origin],
  })
  return verdict.ok ? null : `Its signature is wrong (${verdict.check}): ${verdict.detail}.`
}

/** What the statement of the signature must say; no evidence has the resume token. */
function expectedOf(review: Json, { statement }: DecisionSignature): ExpectedStatement {
  const { tenantId, applicationId, reviewCaseId, caseVersion, decidedBy } = review
  // It came with the signature, and need not be the text that its type says.
  const named: unknown = statement.sessionId
  const isRenamed = typeof named === 'string' && traceId.test(named) && hasMoved(review)
  const sessionId = isRenamed ? statement.sessionId : review.sessionId
  const { presentation, presentationDigest, decision, commentDigest, responseDigest } = review
  const asked = presentation === null ? statement.askedDigest : askedIn(review)
  const expected = {
    ...{ tenantId, applicationId, sessionId, reviewCaseId },
    checkpointId: objectAt(review, 'checkpoint')?.checkpointId,
    resumeTokenDigest: statement.resumeTokenDigest,
    caseVersion: numberOf(caseVersion) - 1,
    askedDigest: asked,
    ...{ presentationDigest, decision, commentDigest, responseDigest },
    memberId: decidedBy,
  }
  return expected as ExpectedStatement
}

/** Digest of what the application itself asked; null where a policy alone opened the case, undefined where it has none. */
function askedIn(review: Json): string | null | undefined {
  const steps = objectsAt(review, 'history') ?? []
  const isAdopted = steps.some(({ step }) => step === 'adopted')
  if (steps[0]?.actor === 'system' && !isAdopted) return null
  const { followUps: _, ...shown } = objectAt(review, 'presentation') ?? {}
  const asked = isAdopted ? shown.application : shown
  return isObject(asked) ? (bytesOrNull(() => askedDigest(asked)) ?? undefined) : undefined
}

/** The page's origin, and the relying party that its host may speak for and that was signed; null for none. */
function placeOf(signature: Json): { readonly origin: string; readonly rpId: string } | null {
  const bytesAt = (name: string) => base64UrlBytes(textAt(signature, name) ?? '')
  const [client, data] = [bytesAt('clientDataJSON'), bytesAt('authenticatorData')]
  if (!client || !data) return null
  const page = bytesOrNull((): unknown => JSON.parse(new TextDecoder().decode(client)))
  const origin = (isObject(page) ? textAt(page, 'origin') : null) ?? ''
  const [, secure, local] =
    /^(?:https:\/\/([a-z0-9.-]+)|http:\/\/((?:[a-z0-9-]+\.)*localhost))(?::\d+)?$/.exec(origin) ??
    []
  const labels = (secure ?? local ?? '').split('.')
  const hash = bytesToHex(data.subarray(0, 32))
  const names = labels.map((_, at) => labels.slice(at).join('.'))
  const rpId = names.find((name) => bytesToHex(sha256(utf8ToBytes(name))) === hash)
  return rpId === undefined ? null : { origin, rpId }
}

/** Why the key was not the reviewer's at the decision, as far as keys are known; null where it was. */
function faultOfKey(review: Json, signature: Json, { reviewers }: Report): string | null {
  const closedAt = msOf(review.closedAt)
  const issuedAt = msOf(objectAt(signature, 'statement')?.issuedAt)
  if (!(Math.abs(closedAt - issuedAt) <= longestStatementMs))
    return 'Its statement was issued at another time than that of the decision.'
  if (reviewers === null) return null
  const key = reviewers.keys.get(textAt(signature, 'credentialId') ?? '')
  const publicKey = objectAt(signature, 'publicKey')
  if (!key || !publicKey || !isSameKey(publicKey, key))
    return 'Its key is none of the authenticators.'
  if (key.memberId !== review.decidedBy) return 'Its key is that of another member.'
  if (!(msOf(key.from) <= closedAt)) return 'Its key was enrolled after it.'
  if (key.until !== null && !(msOf(key.until) > closedAt)) return 'Its key had been revoked.'
  return null
}
