import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { merkleTree } from '../../base/merkle/tree.ts'
import type { SessionOrigin } from '../../content/records.ts'
import type { Batch, BatchLeaf } from '../../content/seal-records.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { commitmentOf } from '../../proof/commitment.ts'

/** Hex root of the tree over these leaf hashes, in order. */
export function rootOf(leafHashes: readonly string[]): string {
  return bytesToHex(merkleTree(leafHashes.map(hexToBytes)).root)
}

/** A batch that waits for its anchor; its nonce links root and commitment. */
export function newBatch(
  { now, random }: Pick<UnitOfWork, 'now' | 'random'>,
  given: {
    readonly tenantId: string
    readonly applicationId: string
    readonly batchId: string
    readonly origin: SessionOrigin
    readonly leaves: readonly BatchLeaf[]
  },
): Batch {
  const merkleRoot = rootOf(given.leaves.map(({ leafHash }) => leafHash))
  const nonce = random.bytes(32)
  const audited = given.leaves.find((leaf) => 'position' in leaf)
  return {
    ...given,
    merkleRoot,
    sealedAt: now,
    nonce: bytesToHex(nonce),
    commitment: commitmentOf(hexToBytes(merkleRoot), nonce),
    anchorDue: now,
    anchorSequence: null,
    auditPosition: audited && 'position' in audited ? audited.position : null,
  }
}
