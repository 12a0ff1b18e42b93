import { isObject } from '../../base/events/shape.ts'
import { checkLedger } from './anchor.ts'
import { checkAuditLog } from './audit-log.ts'
import { checkBatches } from './batches.ts'
import { checkCaseLines } from './case-lines.ts'
import { checkCaseProof, checkCases } from './cases.ts'
import { checkLists, hasTexts } from './compare.ts'
import { checkErasure } from './erasure.ts'
import {
  createReport,
  type Finding,
  type FindingCheck,
  type Report,
  type ReviewerKeys,
  type StampSink,
} from './finding.ts'
import { checkForm, isNamed } from './form.ts'
import { type EvidenceKeys, remembering } from './keys.ts'
import type { KnownEvidence } from './known.ts'
import { checkedList, type ListCheck } from './lists.ts'
import { checkPlace, type LeafTold } from './place.ts'
import { isRevision, type Json, objectAt, objectsAt, textOf } from './read.ts'
import { checkLeaf, checkRecord } from './record.ts'
import { withoutRemoved } from './removed-sessions.ts'
import { checkSignatures } from './signature.ts'
import { noteUnwitnessed } from './stamp.ts'
import { checkTails } from './tails.ts'
import { sessionTimes } from './times.ts'
import { checkKnownSeals, checkKnownSource } from './witness.ts'

/** What a JSON document is, by its own members. */
export type DocumentKind =
  | 'evidence'
  | 'proof'
  | 'session-certificate'
  | 'erasure-certificate'
  | 'anchor-ledger'
  | 'audit-log'
  | 'batches'
  | 'review-cases'

/** The kind of a parsed document; null for one that can't be checked here. */
export function kindOfDocument(document: unknown): DocumentKind | null {
  if (Array.isArray(document)) return kindOfList(document)
  if (!isObject(document)) return null
  if ('evidenceVersion' in document) return 'evidence'
  if (document.certificateType === 'session-anchor') return 'session-certificate'
  if (document.certificateType === 'erasure') return 'erasure-certificate'
  if ('inclusionPath' in document) return 'proof'
  if ('anchorVersion' in document || Array.isArray(document.anchors)) return 'anchor-ledger'
  return null
}

/** Lists are known by what each of their items has. */
const listMembers: readonly (readonly [DocumentKind, readonly string[]])[] = [
  ['anchor-ledger', ['anchorVersion']],
  ['audit-log', ['position', 'action', 'previousHash', 'hash']],
  ['batches', ['batchId', 'merkleRoot', 'leaves']],
  ['review-cases', ['reviewCaseId', 'checkpoint', 'integrity']],
]

function kindOfList(items: readonly unknown[]): DocumentKind | null {
  if (items.length === 0) return null
  const found = listMembers.find(([, members]) =>
    items.every((item) => isObject(item) && members.every((member) => member in item)),
  )
  return found?.[0] ?? null
}

/** Where a document was found. */
export interface DocumentPlace {
  /** Whether a signature that is checked elsewhere covers all of it, as a pack's manifest does its members. */
  readonly isCovered?: boolean
  /** What is known from before; absent or null where nothing is. */
  readonly known?: KnownEvidence | null
  /** Takes its time stamps; absent or null where no authority is trusted. */
  readonly stamps?: StampSink | null
  /** Keys of reviewers' authenticators; absent or null where none are at hand. */
  readonly reviewers?: ReviewerKeys | null
}

/**
 * Checks a document of any kind; `kindOfDocument` must know it. Proofs, audit logs and lists of batches carry no
 * signature over what they say, so that they are `unchecked` as to their issuer unless they are covered.
 *
 * @example
 * ```ts
 * import { readEvidenceKeys, verifyDocument } from '@countersign/core/evidence'
 *
 * const published = await fetch('https://portal.example.com/.well-known/evidence-keys/ten_1')
 * const keys = readEvidenceKeys(await published.json())
 * if (!keys) throw new Error('these are no keys')
 * for (const { check, result } of verifyDocument(evidence, keys)) console.log(check, result)
 * ```
 */
export function verifyDocument(
  document: unknown,
  keys: EvidenceKeys,
  { isCovered = false, known = null, stamps = null, reviewers = null }: DocumentPlace = {},
): readonly Finding[] {
  const kind = kindOfDocument(document)
  const own = known && isObject(document) && kind === 'evidence' ? knownOf(document, known) : known
  const report = createReport('document', remembering(keys), own, stamps, reviewers)
  if (own !== known)
    report.noted(
      'witness',
      'Its session’s id is known from before as that of another, since removed.',
    )
  if (Array.isArray(document) && kind === 'audit-log') {
    const log = checkAuditLog(known)
    const found = unsignedList(document, log, 'audit log', isCovered)
    const tails = { batches: [], entries: null, log: log.reach(), known, stamps }
    return isCovered ? found : [...found, ...checkTails(tails)]
  }
  if (Array.isArray(document) && kind === 'batches') {
    const { sealed: batches, ...list } = checkBatches(known)
    const found = unsignedList(document, list, 'batches', isCovered)
    const tails = { batches, entries: null, log: null, known, stamps }
    return isCovered ? found : [...found, ...checkTails(tails)]
  }
  if (Array.isArray(document) && kind === 'review-cases')
    return unsignedList(
      document,
      checkCaseLines({ keys, known, stamps, reviewers }),
      'review cases',
      isCovered,
    )
  if (kind === 'anchor-ledger')
    checkLedger(entriesOf(document), report.on('anchor ledger'), isCovered)
  else if (isObject(document)) check(kind, document, report)
  if (isObject(document) && kind === 'proof' && !isCovered) reportUnsigned(document, report)
  if (report.all.length === 0)
    report.unchecked(
      'form',
      'It is no evidence document, proof, certificate, anchor ledger, audit log or list of batches or review cases.',
    )
  return report.all
}

/** What is known from before, as far as it can be of the session that a document tells. */
function knownOf(document: Json, known: KnownEvidence): KnownEvidence {
  const applicationId = objectAt(document, 'application')?.applicationId
  const { sessionId, startedAt } = objectAt(document, 'session') ?? {}
  const { revision, leafHash } = objectAt(document, 'integrity') ?? {}
  return withoutRemoved({ applicationId, sessionId }, { startedAt, revision, leafHash }, known)
}

function check(kind: DocumentKind | null, document: Json, report: Report): void {
  if (kind === 'evidence') checkEvidence(document, report)
  else if (kind === 'proof') checkProof(document, report)
  else if (kind === 'session-certificate') checkSessionCertificate(document, report)
  else if (kind === 'erasure-certificate')
    checkErasure(document, report.on(`certificate of erasure ${textOf(document.erasureRequestId)}`))
}

/** Checks a list without a signature: that its hashes fit together, which does not tell who issued it. */
function unsignedList(
  items: readonly unknown[],
  list: ListCheck,
  about: string,
  isCovered: boolean,
): readonly Finding[] {
  const found = checkedList(items, list)
  if (isCovered || found.some(({ result }) => result === 'failed')) return found
  const detail =
    'Checked was arithmetic alone: that its hashes fit together. Not checked was who issued it: by itself it carries no signature, so that anybody could have made it. Verify the whole pack that it came in, whose signature covers it.'
  return [...found, { result: 'unchecked', check: 'issuer', about, detail }]
}

/** Says what a proof by itself leaves open. */
function reportUnsigned(proof: Json, verification: Report): void {
  const holds = (sought: FindingCheck) =>
    verification.all.some(({ check, result }) => check === sought && result === 'verified')
  if (!holds('inclusion')) return
  const report = verification.on(aboutProof(proof))
  const isSigned = holds('commitment') && holds('anchor')
  if (!isSigned)
    report.unchecked(
      'issuer',
      'Checked was arithmetic alone: that the path leads from the leaf to the Merkle root. Not checked was who issued it: no signature that verified here covers this root, so that anybody could have made it.',
    )
  // The record of a case is in its proof, and names whose leaf it is.
  if ('reviewCaseId' in proof) return
  report.unchecked(
    'issuer',
    `${isSigned ? 'Checked was that the issuer signed an anchor of the Merkle root that this leaf is under. ' : ''}Not checked was whose leaf it is: a proof names session ${textOf(proof.sessionId)}, application ${textOf(proof.applicationId)} and revision ${textOf(proof.revision)} without a signature. The session's certificate and its evidence document are signed.`,
  )
}

/** A ledger as a list, as one entry or as a page of the service's answer. */
function entriesOf(document: unknown): readonly Json[] {
  if (Array.isArray(document)) return document.filter(isObject)
  if (!isObject(document)) return []
  return objectsAt(document, 'anchors') ?? [document]
}

function checkEvidence(document: Json, verification: Report): void {
  const session = objectAt(document, 'session')
  const about = `session ${textOf(session?.sessionId)}`
  const report = verification.on(about)
  if (document.evidenceVersion !== '1.0') {
    report.unchecked(
      'form',
      `Evidence version ${textOf(document.evidenceVersion)} is not known here; get a newer verifier.`,
    )
    return
  }
  checkSignatures(document, report)
  const integrity = objectAt(document, 'integrity')
  if (session === null || integrity === null) {
    report.failed('form', 'Expected the members session and integrity.')
    return
  }
  checkLists(document, ['steps', 'scores', 'policyResults'], report)
  checkLists(integrity, ['earlier'], report)
  if (!isNamed(document, session, report)) return
  checkForm(session, integrity, report)
  const record = checkLeaf(integrity, report)
  if (record !== null) checkRecord(document, record, report)
  const { sessionId } = session
  const applicationId = objectAt(document, 'application')?.applicationId
  const earlier = objectsAt(integrity, 'earlier') ?? []
  const seals = integrity.leafHash === null ? earlier : [integrity, ...earlier]
  for (const seal of seals) {
    const each =
      seal === integrity ? report : report.on(`${about}, revision ${textOf(seal.revision)}`)
    const content = integrity.leafInputStatus === 'present' ? 'shown' : 'gone'
    const own = { ...seal, applicationId, sessionId, reviewCaseId: undefined }
    // Of an earlier revision evidence has the leaf alone.
    const told: LeafTold =
      seal === integrity ? { content, times: sessionTimes(document) } : { content: 'named' }
    checkPlace(own, objectAt(seal, 'merkle'), each, told)
  }
  const shown = seals.map(({ revision }) => revision)
  const { revision } = session
  checkKnownSeals({ applicationId, sessionId, revision }, shown, report)
  checkKnownSource({ applicationId, sessionId, revision }, integrity, report)
  if (integrity.leafHash === null)
    noteUnwitnessed('This revision of the session is under no leaf yet.', report)
  else if (integrity.leafInputStatus !== 'present' && report.stamps)
    report.noted('stamp', 'Its content is gone: a stamp says nothing of what is told of it.')
  // A document tells when it was made: without that it is of no time, as any text that is none.
  const { tenantId, generatedAt: toldAt = null } = document
  checkCases(document, { tenantId, applicationId, sessionId, toldAt }, report)
  reportErasure(document, report)
}

function reportErasure(document: Json, report: Report): void {
  const erased = objectAt(document, 'erasure')?.erasedSubjects
  if (Array.isArray(erased) && erased.length > 0)
    report.noted(
      'content',
      `The data of ${erased.length === 1 ? 'one subject' : `${erased.length} subjects`} was erased.`,
    )
}

function aboutProof(proof: Json): string {
  return 'reviewCaseId' in proof
    ? `review case ${textOf(proof.reviewCaseId)}`
    : `session ${textOf(proof.sessionId)}`
}

function checkProof(proof: Json, verification: Report): void {
  const report = verification.on(aboutProof(proof))
  if (proof.hashAlgorithm !== 'rfc9162-sha256')
    report.failed(
      'form',
      `Expected the hash algorithm rfc9162-sha256, got ${textOf(proof.hashAlgorithm)}.`,
    )
  else if (!hasTexts(proof, ['applicationId', 'sessionId'], report)) return
  else if ('reviewCaseId' in proof) checkCaseProof(proof, report)
  else if (!isRevision(proof.revision))
    report.failed('form', `Expected a revision from 1, got ${textOf(proof.revision)}.`)
  else checkPlace(proof, proof, report, { content: 'named' })
}

function checkSessionCertificate(document: Json, verification: Report): void {
  const proof = objectAt(document, 'proof')
  const report = verification.on(`certificate of session ${textOf(proof?.sessionId)}`)
  const { certificateVersion: version } = document
  if (version !== '1.0')
    report.unchecked(
      'form',
      `Certificate version ${textOf(version)} is not known here; get a newer verifier.`,
    )
  checkSignatures(document, report)
  if (proof === null) report.failed('form', 'Expected the member proof.')
  else checkProof(proof, report)
}
