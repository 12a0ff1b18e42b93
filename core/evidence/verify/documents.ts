import { isObject } from '../../base/events/shape.ts'
import { checkAnchor, checkInclusion, checkLedger } from './anchor.ts'
import { checkAuditLog } from './audit-log.ts'
import { checkBatches } from './batches.ts'
import { collectFindings, type Finding, type FindingCheck, type Findings } from './finding.ts'
import type { EvidenceKeys } from './keys.ts'
import { checkedList, type ListCheck } from './lists.ts'
import { type Json, objectAt, objectsAt, textAt } from './read.ts'
import { checkLeaf, checkRecord } from './record.ts'
import { checkSignatures } from './signature.ts'

/** What a JSON document is, by its own members. */
export type DocumentKind =
  | 'evidence'
  | 'proof'
  | 'session-certificate'
  | 'erasure-certificate'
  | 'anchor-ledger'
  | 'audit-log'
  | 'batches'

/** The kind of a parsed document; null for one that none of the checks here is for. */
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
}

/**
 * Checks a document of any kind; `kindOfDocument` must know it. Proofs, audit logs and lists of batches carry no
 * signature over what they say, so that they are `unchecked` as to their issuer unless they are covered.
 */
export function verifyDocument(
  document: unknown,
  keys: EvidenceKeys,
  { isCovered = false }: DocumentPlace = {},
): readonly Finding[] {
  const findings = collectFindings()
  const kind = kindOfDocument(document)
  if (Array.isArray(document) && kind === 'audit-log')
    return unsignedList(document, checkAuditLog(), 'audit log', isCovered)
  if (Array.isArray(document) && kind === 'batches')
    return unsignedList(document, checkBatches(), 'batches', isCovered)
  if (kind === 'anchor-ledger') checkLedger(entriesOf(document), keys, findings)
  else if (isObject(document)) check(kind, document, keys, findings)
  if (isObject(document) && kind === 'proof' && !isCovered) reportUnsigned(document, findings)
  if (findings.all.length === 0)
    findings.add(
      'unchecked',
      'form',
      'document',
      'It is no evidence document, proof, certificate, list of batches, anchor ledger or audit log.',
    )
  return findings.all
}

function check(kind: DocumentKind | null, document: Json, keys: EvidenceKeys, findings: Findings) {
  switch (kind) {
    case 'evidence':
      return checkEvidence(document, keys, findings)
    case 'proof':
      return checkProof(document, keys, findings)
    case 'session-certificate':
      return checkSessionCertificate(document, keys, findings)
    case 'erasure-certificate':
      return checkSignatures(
        document,
        `certificate of erasure ${String(document.erasureRequestId)}`,
        keys,
        findings,
      )
    default:
      return undefined
  }
}

/** Checks a list that carries no signature: that it fits together, which anybody's can. */
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
function reportUnsigned(proof: Json, findings: Findings): void {
  const holds = (sought: FindingCheck) =>
    findings.all.some(({ check, result }) => check === sought && result === 'verified')
  if (!holds('inclusion')) return
  const about = aboutProof(proof)
  const isSigned = holds('commitment') && holds('anchor')
  if (!isSigned)
    findings.add(
      'unchecked',
      'issuer',
      about,
      'Checked was arithmetic alone: that the path leads from the leaf to the Merkle root. Not checked was who issued it: no signature that verified here covers this root, so that anybody could have made it.',
    )
  findings.add(
    'unchecked',
    'issuer',
    about,
    `${isSigned ? 'Checked was that the issuer signed an anchor of the Merkle root that this leaf is under. ' : ''}Not checked was whose leaf it is: a proof names session ${String(proof.sessionId)}, application ${String(proof.applicationId)} and revision ${String(proof.revision)} without a signature. The session's certificate and its evidence document are signed.`,
  )
}

/** A ledger as a list, as one entry or as a page of the service's answer. */
function entriesOf(document: unknown): readonly Json[] {
  if (Array.isArray(document)) return document.filter(isObject)
  if (!isObject(document)) return []
  return objectsAt(document, 'anchors') ?? [document]
}

function checkEvidence(document: Json, keys: EvidenceKeys, findings: Findings): void {
  const session = objectAt(document, 'session')
  const about = `session ${String(session?.sessionId)}`
  if (document.evidenceVersion !== '1.0') {
    findings.add(
      'unchecked',
      'form',
      about,
      `Evidence version ${String(document.evidenceVersion)} is not known here; get a newer verifier.`,
    )
    return
  }
  checkSignatures(document, about, keys, findings)
  const integrity = objectAt(document, 'integrity')
  if (session === null || integrity === null) {
    findings.add('failed', 'form', about, 'Expected the members session and integrity.')
    return
  }
  checkSeal(document, session, integrity, about, keys, findings)
  for (const earlier of objectsAt(integrity, 'earlier') ?? []) {
    const name = `${about}, revision ${String(earlier.revision)}`
    checkPlace(
      objectAt(earlier, 'merkle'),
      textAt(earlier, 'leafHash'),
      earlier.anchor,
      name,
      keys,
      findings,
    )
  }
  reportErasure(document, about, findings)
}

function checkSeal(
  document: Json,
  session: Json,
  integrity: Json,
  about: string,
  keys: EvidenceKeys,
  findings: Findings,
): void {
  const record = checkLeaf(integrity, about, findings)
  if (record !== null && integrity.revision === session.revision)
    checkRecord(document, record, about, findings)
  else if (record !== null)
    findings.add(
      'noted',
      'record',
      about,
      `Revision ${String(integrity.revision)} is sealed; later steps are not sealed yet.`,
    )
  const leafHash = textAt(integrity, 'leafHash')
  if (leafHash !== null)
    checkPlace(objectAt(integrity, 'merkle'), leafHash, integrity.anchor, about, keys, findings)
}

function checkPlace(
  merkle: Json | null,
  leafHash: string | null,
  anchor: unknown,
  about: string,
  keys: EvidenceKeys,
  findings: Findings,
): void {
  if (merkle === null) {
    findings.add('failed', 'inclusion', about, 'It has a leaf and no inclusion proof.')
    return
  }
  const root = checkInclusion(merkle, leafHash, about, findings)
  if (root !== null) checkAnchor(anchor, root, about, keys, findings)
}

function reportErasure(document: Json, about: string, findings: Findings): void {
  const erased = objectAt(document, 'erasure')?.erasedSubjects
  if (Array.isArray(erased) && erased.length > 0)
    findings.add(
      'noted',
      'content',
      about,
      `The data of ${erased.length === 1 ? 'one subject' : `${erased.length} subjects`} was erased.`,
    )
}

function aboutProof(proof: Json): string {
  return `session ${String(proof.sessionId)}`
}

function checkProof(proof: Json, keys: EvidenceKeys, findings: Findings): void {
  const about = aboutProof(proof)
  if (proof.hashAlgorithm !== 'rfc9162-sha256')
    findings.add(
      'failed',
      'form',
      about,
      `Expected the hash algorithm rfc9162-sha256, got ${String(proof.hashAlgorithm)}.`,
    )
  else checkPlace(proof, textAt(proof, 'leafHash'), proof.anchor, about, keys, findings)
}

function checkSessionCertificate(document: Json, keys: EvidenceKeys, findings: Findings): void {
  const proof = objectAt(document, 'proof')
  const about = `certificate of session ${String(proof?.sessionId)}`
  checkSignatures(document, about, keys, findings)
  if (proof === null) findings.add('failed', 'form', about, 'Expected the member proof.')
  else checkProof(proof, keys, findings)
}
