import { longest } from '../kernel/ledger/limits.ts'
import type { SealedMembers } from '../kernel/sealing/sealed-members.ts'
import { line, type RowsOf, stored } from '../kernel/shape.ts'
import { table } from '../kernel/table.ts'

/** One of a tenant's Ed25519 keys; what it does at a time follows from its times (ms). */
export interface IssuerKey {
  /** From 1, never used again; the `kid` of the published key. */
  readonly version: number
  /** The 32-byte seed, sealed for this tenant and version; null once the key has signed its last. */
  readonly sealed: Uint8Array | null
  /** 32 bytes. */
  readonly publicKey: Uint8Array
  readonly publishedAt: number
  readonly signsFrom: number
  /** Null until the next key is on its way. */
  readonly signsUntil: number | null
}

/** The keys that sign the events and callbacks of each tenant. */
export const issuerKeyRings = table({
  name: 'issuerKeyRings',
  members: {
    tenantId: line(longest.id),
    /** The oldest first. */
    keys: stored<readonly IssuerKey[]>(),
  },
  key: ['tenantId'],
  indexes: {},
  tenant: 'tenantId',
  purge: { keep: 'belongs to the tenant' },
  retain: { bounded: 'one per tenant' },
})
/** The keys that sign a tenant's events and callbacks. */
export interface IssuerKeyRing extends RowsOf<typeof issuerKeyRings.members> {}

/** The context of a key's sealed seed. */
export function seedContext(tenantId: string, version: number): string {
  return JSON.stringify(['issuer key', tenantId, version])
}

export const sealedSeeds: SealedMembers<IssuerKeyRing> = {
  collection: issuerKeyRings,
  map: (ring, change) => ({
    ...ring,
    keys: ring.keys.map((key) => {
      const { sealed, version } = key
      return sealed ? { ...key, sealed: change(sealed, seedContext(ring.tenantId, version)) } : key
    }),
  }),
}
