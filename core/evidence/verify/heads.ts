import { bytesToHex } from '@noble/hashes/utils.js'
import { leafHash } from '../../base/merkle/hash.ts'
import { chainStart } from '../../base/store-kit/log-chain.ts'
import { canonicalBytes } from '../../proof/signed-text.ts'
import { auditRecordOf } from '../../sessions/seal/audit-leaf.ts'
import { bytesOrNull, type Json } from './read.ts'

/** Heads of an audit log that batches commit to, which its entries must have; batches are checked before the log. */
export interface SealedHeads {
  /** Takes the audit leaf of a batch; a sentence where it can't be one. */
  seal(leaf: Json, tenantId: unknown): string | null
  /** Whether batches commit to an entry. */
  has(position: number): boolean
  /** Whether an entry's hash is that which batches commit to at its position, if any do. */
  fits(position: number, hash: string): boolean
  /** Heads that entries were compared with. */
  compared(): number
}

/** Collects the heads that the batches of one pack commit to. */
export function createHeads(): SealedHeads {
  const heads = new Map<number, string>()
  let reached = 0
  let compared = 0
  return {
    seal({ position, hash, leafHash: named }, tenantId) {
      if (typeof position !== 'number' || typeof hash !== 'string' || typeof tenantId !== 'string')
        return 'Its leaf of the audit log has no position or hash, or it names no organization.'
      const record = auditRecordOf(tenantId, { position, hash })
      const bytes = bytesOrNull(() => canonicalBytes(record))
      if (bytes === null || bytesToHex(leafHash(bytes)) !== named)
        return `Its leaf is not that of entry ${position} of the audit log.`
      const before = position === 0 ? bytesToHex(chainStart) : heads.get(position)
      if (before !== undefined && before !== hash)
        return `Entry ${position} of the audit log is another there than in another batch.`
      if (position > 0 && position <= reached)
        return 'It stands behind the audit log, whose head it has.'
      heads.set(position, hash)
      return null
    },
    has: (position) => heads.has(position),
    fits(position, hash) {
      reached = position
      const head = heads.get(position)
      if (head !== undefined) compared++
      return head === undefined || head === hash
    },
    compared: () => compared,
  }
}
