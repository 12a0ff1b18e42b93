import { createHash } from 'node:crypto'
import { canonicalBytes, type EvidenceDocument } from '@countersign/core/evidence'
import { leafHash, merkleTree, sessionColumns } from '@countersign/core/internal'
import { sampleAnchor } from '@countersign/core/testing'
import { bytesToHex } from '@noble/hashes/utils.js'
import { issuer, packOf } from './packs.ts'

type Json = Readonly<Record<string, unknown>>

/** Entries of an audit log, each chained to the one before. */
export function chainOf(
  entries: readonly Json[],
  before: string = '0'.repeat(64),
): readonly Json[] {
  let previousHash = before
  return entries.map((text, at) => {
    const hash = createHash('sha256')
      .update(Buffer.from(previousHash, 'hex'))
      .update(JSON.stringify(text))
      .digest('hex')
    const entry = { position: at + 1, ...text, previousHash, hash }
    previousHash = hash
    return entry
  })
}

/** What an auditor's pack of one application is made of. */
export interface AuditorGiven {
  readonly cases: EvidenceDocument['reviewCases']
  /** Entries of the audit log, chained. */
  readonly log: readonly Json[]
  /** Content of `authenticators.json`. */
  readonly authenticators: unknown
}

const linesOf = (items: readonly unknown[]) =>
  items.map((each) => `${JSON.stringify(each)}\n`).join('')

/** An auditor's pack whose cases, and the end of the log, are leaves of one batch. */
export async function auditorPack({
  cases,
  log,
  authenticators,
}: AuditorGiven): Promise<Uint8Array> {
  const [tenantId, applicationId, batchId] = ['ten_sample', 'app_sample', 'bat_auditor']
  const { position = 0, hash = '0'.repeat(64) } = log.at(-1) ?? {}
  const head = { leafType: 'audit-log', recordVersion: '1.0', tenantId, position, hash }
  const records = [...cases.map(({ integrity }) => integrity.leafInput), head]
  const leaves = records.map((record) => leafHash(canonicalBytes(record)))
  const tree = merkleTree(leaves)
  const [merkleRoot = '', ...hashes] = [tree.root, ...leaves].map(bytesToHex)
  const nonce = '0a'.repeat(32)
  const anchor = sampleAnchor(issuer, { root: merkleRoot, nonce, sequence: 1 })
  const sealed = cases.map((review, leafIndex) => {
    const inclusionPath = tree.pathOf(leafIndex).map(bytesToHex)
    const merkle = { batchId, leafIndex, treeSize: tree.size, inclusionPath, merkleRoot }
    const seal = { leafHash: hashes[leafIndex], merkle, anchor }
    return { ...review, integrity: { ...review.integrity, ...seal } }
  })
  const ofCases = sealed.map(({ reviewCaseId, sessionId, integrity }) => {
    return { leafType: 'review-case', reviewCaseId, sessionId, leafHash: integrity.leafHash }
  })
  const ofLog = { leafType: 'audit-log', position, hash, leafHash: hashes.at(-1) }
  const batch = {
    ...{ tenantId, applicationId, batchId, origin: 'otlp', merkleRoot, treeSize: tree.size },
    leaves: [...ofCases, ofLog],
    ...{ sealedAt: anchor.anchoredAt, nonce, commitment: anchor.commitment, anchorSequence: 1 },
  }
  const events = cases.flatMap(({ reviewCaseId, sessionId, history }) =>
    history.map((step) => ({ reviewCaseId, sessionId, ...step })),
  )
  const folder = `applications/${applicationId}`
  const texts = {
    [`${folder}/application.json`]: '{}',
    [`${folder}/policy-rules.json`]: '{}',
    [`${folder}/sessions.csv`]: `${sessionColumns.map((each) => `"${each}"`).join()}\r\n`,
    [`${folder}/review-cases.jsonl`]: linesOf(sealed),
    [`${folder}/review-events.jsonl`]: linesOf(events),
    [`${folder}/batches.jsonl`]: linesOf([batch]),
    'anchors.jsonl': linesOf([{ ...anchor, nonce: null }]),
    'audit-log.jsonl': linesOf(log),
    'members.csv': '',
    'retention-and-holds.json': '{}',
    'authenticators.json': JSON.stringify(authenticators),
    'verification-keys.json': JSON.stringify({ keys: [issuer.jwk] }),
  }
  const members = Object.entries(texts).map(([path, text]) => [path, Buffer.from(text)] as const)
  const end = log.length > 0 ? { position, hash } : { position: 0, hash: null }
  const scope = { applicationIds: [applicationId], auditLog: end }
  return packOf(new Map(members), issuer, undefined, { packType: 'auditor', scope })
}
