import { bytesToHex } from '@noble/hashes/utils.js'
import { digestOf } from '../../base/canonical/digest.ts'
import { leafHash } from '../../base/merkle/hash.ts'
import { canonicalBytes } from '../../proof/signed-text.ts'
import { checkLists, hasTexts, isSame } from './compare.ts'
import { checkDecision } from './decision-signature.ts'
import type { Report } from './finding.ts'
import { checkPlace } from './place.ts'
import {
  bytesOrNull,
  type Json,
  msOf,
  nameOf,
  objectAt,
  objectsAt,
  textAt,
  textOf,
} from './read.ts'
import { noteUnwitnessed } from './stamp.ts'
import { caseTimes } from './times.ts'
import { checkKnownCases } from './witness.ts'

/** Where a case was found, and when that was told (ISO 8601); undefined where nothing says it. */
export interface CasePlace {
  readonly tenantId: unknown
  readonly applicationId: unknown
  readonly sessionId: unknown
  readonly toldAt: unknown
}

/** Checks each review case of an evidence document against its leaf, and that none is left out that is known. */
export function checkCases(document: Json, place: CasePlace, report: Report): void {
  const cases = objectsAt(document, 'reviewCases')
  if (cases === null) {
    report.failed('form', 'Expected the member reviewCases.')
    return
  }
  const all = new Set(cases.map(({ reviewCaseId }) => reviewCaseId))
  if (all.size !== cases.length) report.failed('form', 'The document has a case twice.')
  for (const review of cases) checkCase(review, place, report)
  const told = new Map(cases.map((review) => [review.reviewCaseId, review]))
  checkKnownCases(place, (id) => isShownEnded(told.get(id)), report)
}

/** Whether a case is shown as one that ended, with its leaf or without one. */
export function isShownEnded(review: Json | undefined): boolean {
  return review !== undefined && review.state !== 'open'
}

/** A case is sealed within a minute; one that waits longer is not sealed as it should be. */
const mostWaitMs = 3_600_000

/** Members by which a case is told from others. */
const ids = ['tenantId', 'applicationId', 'sessionId', 'reviewCaseId']

/** Checks that a case tells what its leaf holds, and that its texts are those of its digests. */
export function checkCase(review: Json, place: CasePlace, within: Report): void {
  const report = within.on(`review case ${textOf(review.reviewCaseId)}`)
  const integrity = objectAt(review, 'integrity')
  if (integrity === null) {
    report.failed('form', 'Expected the member integrity.')
    return
  }
  if (!hasTexts(review, ids, report)) return
  checkLists(review, ['history', 'followUps', 'policyResults'], report)
  checkOwner(review, place, report)
  checkTexts(review, report)
  checkDecision(review, report)
  checkKnownRecord(review, report)
  const isOpen = review.state === 'open'
  if (integrity.leafInputStatus !== 'present') {
    checkUnsealed(review, integrity, place.toldAt, report)
    return
  }
  const input = checkCaseLeaf(integrity, report)
  if (isOpen) report.failed('record', 'It is told to be open, and a leaf is of its end.')
  if (input !== null) checkCaseRecord(review, input, report)
  const { applicationId, sessionId, reviewCaseId } = review
  const seal = { ...integrity, applicationId, sessionId, reviewCaseId }
  const merkle = objectAt(integrity, 'merkle')
  checkPlace(seal, merkle, report, { content: 'shown', times: caseTimes(input ?? review) })
}

/** Checks that the leaf of a case is the hash of its record; yields the record where it fits. */
export function checkCaseLeaf(integrity: Json, report: Report): Json | null {
  const input = objectAt(integrity, 'leafInput')
  const bytes = input && bytesOrNull(() => canonicalBytes(input))
  const computed = bytes ? bytesToHex(leafHash(bytes)) : null
  if (input === null || computed === null || computed !== integrity.leafHash) {
    report.failed(
      'leaf',
      `The sealed record hashes to ${computed ?? 'nothing'}, not to the leaf ${textOf(integrity.leafHash)}.`,
    )
    return null
  }
  if (input.leafType !== 'review-case' || input.recordVersion !== '1.0') {
    report.failed('leaf', 'The leaf is not that of a review case, version 1.0.')
    return null
  }
  report.verified('leaf', `The sealed record hashes to the leaf ${computed}.`)
  return input
}

function checkOwner(review: Json, place: CasePlace, report: Report): void {
  for (const member of ['tenantId', 'applicationId', 'sessionId'] as const)
    if (place[member] !== undefined && review[member] !== place[member])
      report.failed('form', `Its ${member} is another than that of what it was found in.`)
}

/** Of a case without a leaf: it is open, or its batch is about to be made. */
function checkUnsealed(review: Json, integrity: Json, toldAt: unknown, report: Report): void {
  const { leafInput, leafInputStatus, leafHash: leaf, merkle, anchor } = integrity
  const isNone = [leafInput, leaf, merkle, anchor].every((member) => member === null)
  if (leafInputStatus !== 'not_sealed' || !isNone) {
    report.failed('leaf', 'It has no sealed record, and is not plainly told to be not sealed.')
    return
  }
  if (review.state === 'open') return
  const isWaiting = toldAt === undefined || msOf(toldAt) - waitsSince(review) <= mostWaitMs
  if (isWaiting) report.noted('leaf', 'Its end is not sealed yet.')
  else report.unchecked('leaf', 'It ended, and its end is under no leaf: nothing binds it.')
  noteUnwitnessed('Its end is under no leaf yet.', report, isWaiting)
}

/** When the end of a case, or its last move to another session, made its record what it is, ms. */
function waitsSince({ closedAt, history }: Json): number {
  const moves = (objectsAt({ history }, 'history') ?? []).filter(
    ({ step }) => step === 'session_moved',
  )
  return Math.max(msOf(closedAt), ...moves.map(({ at }) => msOf(at)))
}

/**
 * Checks that a case ended as each leaf of it that is known from before says, whatever session that names: nothing else in
 * the record of a case that has ended changes.
 */
function checkKnownRecord(review: Json, report: Report): void {
  const { applicationId, reviewCaseId } = review
  const leaves = report.known?.ofCases.get(nameOf(applicationId, reviewCaseId))
  if (!leaves || !isShownEnded(review)) return
  const record = recordOf(review)
  for (const { sessionId, leafHash: known } of leaves.values()) {
    const bytes = bytesOrNull(() => canonicalBytes({ ...record, sessionId }))
    if (bytes === null || bytesToHex(leafHash(bytes)) !== known)
      report.failed('witness', 'It ended otherwise, by a leaf of it that is known from before.')
  }
}

/** Members of a case that its record has under the same name. */
const sameNames = [
  ...['tenantId', 'applicationId', 'sessionId', 'reviewCaseId', 'caseVersion', 'state'],
  ...['decision', 'reasonCategory', 'presentationDigest', 'commentDigest', 'responseDigest'],
  ...['decidedBy', 'closedAt', 'decisionSignature'],
] as const

/** The record that a case has by what it tells. */
function recordOf(review: Json): Json {
  return {
    ...{ leafType: 'review-case', recordVersion: '1.0', openedAt: review.createdAt ?? null },
    ...Object.fromEntries(sameNames.map((member) => [member, review[member] ?? null])),
    checkpointId: objectAt(review, 'checkpoint')?.checkpointId ?? null,
  }
}

function checkCaseRecord(review: Json, input: Json, report: Report): void {
  const before = report.all.length
  const shown = recordOf(review)
  for (const member of new Set([...Object.keys(shown), ...Object.keys(input)]))
    if (!(member in input) || !isSame(input[member], shown[member]))
      report.failed('record', `Its ${member} differs from what was sealed.`)
  checkHistory(review, report)
  if (report.all.length === before) report.verified('record', 'The case tells what was sealed.')
}

/** How the last step before the callback's is called, by the state that it led to. */
const lastSteps: ReadonlyMap<unknown, string> = new Map([
  ['decided', 'decided'],
  ['cancelled', 'cancelled'],
  ['expired', 'expired'],
])

/** Checks that the recorded steps begin and end with what the record says. */
function checkHistory(review: Json, report: Report): void {
  const { state, caseVersion, createdAt, closedAt, decidedBy } = review
  const steps = objectsAt(review, 'history') ?? []
  const [first] = steps
  const last = steps.find(({ step }) => step === lastSteps.get(state))
  const isBegun = first?.step === 'created' && isSame(first.at, createdAt)
  const isEnded = isSame(last?.at, closedAt) && isSame(last?.caseVersion, caseVersion)
  const reviewer = textAt(review, 'decidedBy')
  const isBy = state !== 'decided' || (reviewer !== null && last?.actor === `member:${reviewer}`)
  if (!isBegun || !isEnded || !isBy)
    report.failed('record', 'Its history does not begin and end as was sealed.')
  const assignment = objectAt(review, 'assignment')
  if (state === 'decided' && !isSame(assignment?.reviewerId, decidedBy))
    report.failed('record', 'It was decided by another than its reviewer.')
}

/** Checks what people wrote and saw against the digests; all of it is there, or an erasure took all of it. */
function checkTexts(review: Json, report: Report): void {
  const { presentation, presentationDigest = null, reviewerComment, response } = review
  const nonces = objectAt(review, 'nonces') ?? {}
  const followUps = objectsAt(review, 'followUps') ?? []
  if (presentation === null) {
    const left = [reviewerComment, response, nonces.comment, nonces.response]
    const more = [followUps, objectsAt(review, 'policyResults') ?? []]
    if (left.some((each) => (each ?? null) !== null) || more.some(({ length }) => length > 0))
      report.failed('content', 'What was shown is missing, and no erasure left its other texts.')
    else report.noted('content', 'Its texts were erased; digests remain and say nothing of them.')
    return
  }
  // A case that nobody was assigned was shown to nobody.
  if (presentationDigest !== null && !isDigest(presentation, presentationDigest))
    report.failed('content', 'What the reviewer was shown is not what its digest is of.')
  checkSalted('comment', reviewerComment, nonces.comment, review.commentDigest, report)
  checkSalted('response', response, nonces.response, review.responseDigest, report)
  const answered = followUps.filter(({ answer }) => answer !== null)
  const answers = answered.map(({ question, answer }) => ({ question, answer }))
  if (!isSame(answers, objectAt(review, 'presentation')?.followUps ?? []))
    report.failed('content', 'Its answered questions are not those that the reviewer was shown.')
}

function checkSalted(
  name: string,
  text: unknown,
  nonce: unknown,
  digest: unknown,
  report: Report,
): void {
  const isNone = [text, nonce, digest].every((each) => (each ?? null) === null)
  if (
    isNone ||
    ((text ?? null) !== null && typeof nonce === 'string' && isDigest([nonce, text], digest))
  )
    return
  report.failed('content', `Its ${name} is not what its digest is of.`)
}

function isDigest(value: unknown, digest: unknown): boolean {
  const computed = bytesOrNull(() => digestOf(value))
  return computed !== null && computed === digest
}

/** Checks the proof of one case, by itself. */
export function checkCaseProof(proof: Json, report: Report): void {
  const input = checkCaseLeaf(proof, report)
  for (const member of ['reviewCaseId', 'sessionId', 'applicationId'])
    if (input !== null && !isSame(input[member], proof[member]))
      report.failed('record', `Its ${member} differs from what was sealed.`)
  if (input !== null)
    report.verified(
      'record',
      `Sealed is that the case was ${textAt(input, 'state')}: ${textOf(input.decision)}.`,
    )
  checkPlace(proof, proof, report, { content: 'shown', times: caseTimes(input ?? {}) })
}
