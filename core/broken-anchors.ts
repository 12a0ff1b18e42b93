import { hexToBytes } from '@noble/hashes/utils.js'
import type { Store } from './base/ports/store.ts'
import { type Anchor, anchors, batches } from './content/seal-records.ts'
import { evidenceKeyRings } from './evidence/keys/records.ts'
import { checkEntry } from './evidence/verify/anchor.ts'
import { createReport } from './evidence/verify/finding.ts'
import type { EvidenceKeys } from './evidence/verify/keys.ts'
import { type Reader, rowsOf } from './kernel/ledger/pages.ts'
import { get, one } from './kernel/ledger/reads.ts'
import { commitmentOf, firstPreviousHash } from './proof/commitment.ts'
import { thumbprintOf } from './proof/signed-text.ts'
import type { Primitives } from './proof/signing/primitives.ts'
import { anchorEntry } from './sessions/seal/anchor-batches.ts'

/** An entry of a tenant's anchor ledger, or a batch that it anchors, which is not as it was written. */
export interface BrokenAnchor {
  readonly tenantId: string
  /** Of the entry. */
  readonly sequence: number
  /** What is wrong, as a sentence. */
  readonly fault: string
}

/** The entry before, as far as the ledger was read. */
interface Before {
  readonly tenantId: string
  readonly sequence: number
  readonly entryHash: string
}

/**
 * Checks the ledger of every tenant: entries follow one another without a gap, match their own hash, name the hash of
 * the entry before and are signed by a key of the tenant; then each batch yields its entry's commitment. External
 * ledgers are not asked.
 */
export async function* findBrokenAnchors(
  store: Pick<Store, 'read'>,
  primitives: Pick<Primitives, 'ed25519Verifier'>,
): AsyncGenerator<BrokenAnchor> {
  const reader: Reader = { read: (reads) => store.read(null, reads) }
  let before = null as Before | null
  let keys: EvidenceKeys = new Map()
  for await (const row of rowsOf(reader, anchors, { where: [] })) {
    const { tenantId, sequence } = row
    if (before?.tenantId !== tenantId) {
      before = null
      keys = await keysOf(reader, primitives, tenantId)
    }
    for (const fault of faultsOf(row, before, keys)) yield { tenantId, sequence, fault }
    before = { tenantId, sequence, entryHash: row.entryHash }
  }
  for await (const row of rowsOf(reader, batches, { where: [] })) {
    const { tenantId, anchorSequence: sequence, batchId } = row
    if (sequence === null) continue
    const [found] = await reader.read([get(anchors, [tenantId, sequence])])
    const recorded = one(anchors, found)?.row.commitment ?? 'missing'
    const computed = commitmentOf(hexToBytes(row.merkleRoot), hexToBytes(row.nonce))
    if (recorded !== computed) {
      const fault = `batch ${batchId} commits to ${computed}, the entry is ${recorded}`
      yield { tenantId, sequence, fault }
    }
  }
}

async function keysOf(
  reader: Reader,
  primitives: Pick<Primitives, 'ed25519Verifier'>,
  tenantId: string,
): Promise<EvidenceKeys> {
  const [found] = await reader.read([get(evidenceKeyRings, [tenantId])])
  const ring = one(evidenceKeyRings, found)?.row.keys ?? []
  return new Map(
    ring.map(({ publicKey }) => [thumbprintOf(publicKey), primitives.ed25519Verifier(publicKey)]),
  )
}

function faultsOf(row: Anchor, before: Before | null, keys: EvidenceKeys): readonly string[] {
  const report = createReport(`entry ${row.sequence}`, keys)
  const { entryHash, timeStamp } = row
  const shown = { ...anchorEntry(row), entryHash, timeStamp }
  checkEntry(shown, report)
  const isLocal = row.ledger === 'local'
  const faults = report.all.flatMap(({ result, detail }) =>
    result === 'failed' || (isLocal && result === 'unchecked') ? detail : [],
  )
  const expected = (before?.sequence ?? 0) + 1
  if (row.sequence !== expected) return [...faults, `expected entry ${expected}`]
  const previous = before?.entryHash ?? firstPreviousHash
  if (isLocal && row.previousHash !== previous)
    return [...faults, `expected previousHash ${previous}, got ${row.previousHash}`]
  return faults
}
