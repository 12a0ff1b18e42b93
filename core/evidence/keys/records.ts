import { longest } from '../../kernel/ledger/limits.ts'
import type { SealedMembers } from '../../kernel/sealing/sealed-members.ts'
import { line, type RowsOf, stored } from '../../kernel/shape.ts'
import { table } from '../../kernel/table.ts'

/** One of a tenant's Ed25519 keys for evidence; its public half is published for good. */
export interface EvidenceKey {
  /** Thumbprint of the public key (RFC 7638). */
  readonly keyId: string
  /** The 32-byte seed, sealed for this tenant and key; null once another key signs in its place. */
  readonly sealed: Uint8Array | null
  /** 32 bytes. */
  readonly publicKey: Uint8Array
  readonly createdAt: number
}

/** The keys that sign a tenant's evidence, manifests, certificates and anchors. */
export const evidenceKeyRings = table({
  name: 'evidenceKeyRings',
  members: {
    tenantId: line(longest.id),
    /** Oldest first; the last one signs. */
    keys: stored<readonly EvidenceKey[]>(),
  },
  key: ['tenantId'],
  indexes: {},
  tenant: 'tenantId',
  purge: { keep: 'belongs to the tenant, and verifies what was exported before' },
  outlives: 'verifies what was exported before',
  retain: { keep: 'verifies what was exported before' },
})
/** One of `evidenceKeyRings`. */
export interface EvidenceKeyRing extends RowsOf<typeof evidenceKeyRings.members> {}

/** The context of a key's sealed seed. */
export function evidenceSeedContext(tenantId: string, keyId: string): string {
  return JSON.stringify(['evidence key', tenantId, keyId])
}

export const sealedEvidenceSeeds: SealedMembers<EvidenceKeyRing> = {
  collection: evidenceKeyRings,
  map: (ring, change) => ({
    ...ring,
    keys: ring.keys.map((key) => {
      const { sealed, keyId } = key
      return sealed
        ? { ...key, sealed: change(sealed, evidenceSeedContext(ring.tenantId, keyId)) }
        : key
    }),
  }),
}
