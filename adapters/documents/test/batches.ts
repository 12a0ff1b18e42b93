import { merkleTree } from '@countersign/core/internal'
import { sampleAnchor } from '@countersign/core/testing'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { issuer } from './packs.ts'
import type { Json } from './tamperings.ts'

/** A leaf of a session whose hash is this hex digit alone. */
export function leafOfSession(digit: string): Json {
  return { sessionId: 'ses_1', revision: 1, leafHash: digit.repeat(64) }
}

/** A batch of these leaves, sound in itself; `sealedAt` is ISO 8601. */
export function batchOf(batchId: string, leaves: readonly Json[], sealedAt: string): Json {
  const tree = merkleTree(leaves.map(({ leafHash }) => hexToBytes(String(leafHash))))
  const merkleRoot = bytesToHex(tree.root)
  const nonce = '0b'.repeat(32)
  const { commitment } = sampleAnchor(issuer, { root: merkleRoot, nonce })
  return {
    ...{ tenantId: 'ten_sample', applicationId: 'app_sample', batchId, origin: 'otlp' },
    ...{ merkleRoot, treeSize: tree.size, leaves, sealedAt, nonce, commitment },
    anchorSequence: null,
  }
}
