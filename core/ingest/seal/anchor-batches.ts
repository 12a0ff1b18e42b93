import { isoTime } from '../../ledger/iso-time.ts'
import { list, many, one, put } from '../../ledger/reads.ts'
import type { Put } from '../../ports/store.ts'
import { anchorHashOf, firstPreviousHash } from '../../proof/commitment.ts'
import { type EvidenceSigner, signAnchor } from '../../proof/sign.ts'
import { type Anchor, anchors, batches } from '../../sessions/seal-records.ts'
import type { AnchorEntry } from '../../sessions/view.ts'
import type { WorkHandler } from '../../work/handler.ts'
import { anchorKind } from '../work-kinds.ts'

/** Batches that one commit anchors. */
const most = 50
const ledger = 'local'

/** Writes the commitments of a tenant's batches into its ledger, a chain of signed entries. */
export function createAnchoring(deps: {
  readonly signerOf: (tenantId: string) => Promise<EvidenceSigner>
}): WorkHandler {
  return {
    kind: anchorKind,
    run: async (item, unit) => {
      const { tenantId } = item
      if (tenantId === null) return { next: null }
      const signer = await deps.signerOf(tenantId)
      const [foundBatches, foundLast] = await unit.read([
        list(batches, {
          by: 'byAnchorDue',
          where: [
            ['tenantId', '=', tenantId],
            ['anchorDue', '>', 0],
          ],
          take: most,
        }),
        list(anchors, { where: [['tenantId', '=', tenantId]], newest: true, take: 1 }),
      ])
      const due = many(batches, foundBatches)
      let last = one(anchors, foundLast)?.row ?? null
      const puts: Put[] = []
      for (const was of due) {
        const { commitment, merkleRoot } = was.row
        const entry = signAnchor(
          {
            anchorVersion: '1.0' as const,
            ledger,
            sequence: (last?.sequence ?? 0) + 1,
            commitment,
            previousHash: last?.entryHash ?? firstPreviousHash,
            anchoredAt: isoTime(unit.now),
          },
          signer,
        )
        last = anchorRow(tenantId, entry, { merkleRoot, anchoredAt: unit.now })
        puts.push(put(anchors, last, null))
        puts.push(put(batches, { ...was.row, anchorDue: null, anchorSequence: last.sequence }, was))
      }
      return { set: { puts }, next: due.length === most ? unit.now : null }
    },
  }
}

function anchorRow(
  tenantId: string,
  entry: AnchorEntry,
  { merkleRoot, anchoredAt }: Pick<Anchor, 'merkleRoot' | 'anchoredAt'>,
): Anchor {
  const { sequence, commitment, previousHash, keyId, signature } = entry
  return {
    tenantId,
    sequence,
    ledger,
    commitment,
    merkleRoot,
    previousHash,
    anchoredAt,
    keyId,
    signature,
    entryHash: anchorHashOf(entry),
  }
}

/** An entry of the ledger as it was signed. */
export function anchorEntry(anchor: Anchor): AnchorEntry {
  const { ledger, sequence, commitment, previousHash, anchoredAt, keyId, signature } = anchor
  return {
    anchorVersion: '1.0',
    ledger,
    sequence,
    commitment,
    previousHash,
    anchoredAt: isoTime(anchoredAt),
    keyId,
    signature,
  }
}
