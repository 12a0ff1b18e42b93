import { createHash } from 'node:crypto'
import type { Target } from './tamper-property.ts'

/** Genuine documents without a signature over what they say, as texts. */
export interface Genuine {
  /** A session's proof; its anchor is signed, its names are not. */
  readonly proof: string
  readonly batches: string
  readonly auditLog: string
  readonly evidence: string
}

type Json = Readonly<Record<string, unknown>>

function textAt(packs: readonly Target[], pack: string, path: RegExp): string {
  const files = packs.find(({ name }) => name === pack)?.files ?? new Map<string, Uint8Array>()
  const found = [...files].find(([name]) => path.test(name))
  if (!found) throw new Error(`${pack} has no ${path}`)
  return Buffer.from(found[1]).toString()
}

/** Documents of the packs that the service made. */
export function genuineOf(packs: readonly Target[]): Genuine {
  const evidence = textAt(packs, 'bulk', /evidence\.json$/)
  const { session, application, integrity } = JSON.parse(evidence) as Readonly<Record<string, Json>>
  const proof = {
    ...{ sessionId: session?.sessionId, applicationId: application?.applicationId },
    ...{ revision: integrity?.revision, hashAlgorithm: 'rfc9162-sha256' },
    ...(integrity?.merkle as Json),
    ...{ leafHash: integrity?.leafHash, anchor: integrity?.anchor },
  }
  return {
    proof: JSON.stringify(proof),
    batches: textAt(packs, 'auditor', /batches\.jsonl$/),
    auditLog: textAt(packs, 'auditor', /audit-log\.jsonl$/),
    evidence,
  }
}

const leaf = 'ab'.repeat(32)
const zeros = '00'.repeat(32)
const inventedTree = {
  ...{ batchId: 'bat_x', leafIndex: 0, treeSize: 1 },
  ...{ leafHash: leaf, inclusionPath: [], merkleRoot: leaf },
}

function sha256(...parts: readonly Uint8Array[]): string {
  return createHash('sha256').update(Buffer.concat(parts)).digest('hex')
}

const hex = (text: string) => Buffer.from(text, 'hex')

function changed(text: string, change: (document: Json) => Json): string {
  return JSON.stringify(change(JSON.parse(text) as Json))
}

function withAnchor(text: string, changes: Json, more: Json = {}): string {
  return changed(text, (proof) => ({
    ...proof,
    ...more,
    anchor: { ...(proof.anchor as Json), ...changes },
  }))
}

/** What somebody without the issuer's key can hand an auditor as a file of its own. */
export const forgeries: Readonly<Record<string, (genuine: Genuine) => string>> = {
  'a proof of nothing': () =>
    JSON.stringify({
      ...{ sessionId: 'never-existed', applicationId: 'app_x', revision: 1 },
      ...{ hashAlgorithm: 'rfc9162-sha256', ...inventedTree, anchor: null },
    }),
  'an invented leaf beside a signed anchor without nonce': ({ proof }) =>
    withAnchor(proof, { nonce: null }, { sessionId: 'another', ...inventedTree }),
  'an invented leaf beside a signed anchor that is said to be pending': ({ proof }) =>
    withAnchor(proof, { status: 'pending' }, inventedTree),
  'an invented leaf beside an anchor of another ledger': ({ proof }) =>
    withAnchor(proof, { ledger: 'other', entryHash: null, nonce: null }, inventedTree),
  'the proof of another session': ({ proof }) =>
    changed(proof, (document) => ({ ...document, sessionId: 'another' })),
  'the proof of another application': ({ proof }) =>
    changed(proof, (document) => ({ ...document, applicationId: 'app_other' })),
  'the proof of another revision': ({ proof }) =>
    changed(proof, (document) => ({ ...document, revision: 9 })),
  'an invented batch': () => {
    const tag = Buffer.from('countersign-anchor-v1')
    const batch = {
      ...{
        applicationId: 'app_x',
        batchId: 'bat_x',
        origin: 'otlp',
        merkleRoot: leaf,
        treeSize: 1,
      },
      leaves: [{ sessionId: 'made-up', revision: 1, leafHash: leaf }],
      ...{ sealedAt: '2026-01-01T00:00:00.000Z', nonce: zeros, anchorSequence: 1 },
      commitment: sha256(tag, hex(leaf), hex(zeros)),
    }
    return `${JSON.stringify(batch)}\n`
  },
  'batches of another session': ({ batches }) =>
    batches.replace(/"sessionId":"[^"]*"/, '"sessionId":"another"'),
  'an invented audit log': () => {
    const text = { at: 'now', actor: 'member:mem_x', action: 'made.up', subject: 'x', detail: {} }
    const hash = sha256(hex(zeros), Buffer.from(JSON.stringify(text)))
    return `${JSON.stringify({ position: 1, ...text, previousHash: zeros, hash })}\n`
  },
  'an audit log without its end': ({ auditLog }) => auditLog.replace(/[^\n]*\n$/, ''),
  'an empty ledger': () => JSON.stringify({ anchors: [] }),
  'evidence without signatures': ({ evidence }) =>
    changed(evidence, (document) => ({ ...document, signatures: [] })),
}
