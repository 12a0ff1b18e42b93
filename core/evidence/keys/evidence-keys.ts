import type { Sealer } from '../../base/ports/secrets.ts'
import type { Read, Versioned } from '../../base/ports/store.ts'
import type { Ledger, UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { get, one } from '../../kernel/ledger/reads.ts'
import { ok, type Result, refuse } from '../../kernel/ledger/refusal.ts'
import { rowOfTenant } from '../../kernel/ledger/row-of-tenant.ts'
import type { PublicJwk } from '../../keys/jwk.ts'
import type { EvidenceSigner } from '../../proof/sign.ts'
import { thumbprintOf } from '../../proof/signed-text.ts'
import { base64Url } from '../../proof/signing/encoding.ts'
import type { Primitives, SigningThread } from '../../proof/signing/primitives.ts'
import {
  type EvidenceKey,
  type EvidenceKeyRing,
  evidenceKeyRings,
  evidenceSeedContext,
} from './records.ts'

/** The key that signs a tenant's evidence, with its public half. */
export interface TenantSigner extends EvidenceSigner {
  readonly publicKey: PublicJwk
}

/** A tenant's public evidence keys as a JWK set (RFC 7517). */
export interface EvidenceKeySet {
  /** The newest first, those that sign no more included. */
  readonly keys: readonly PublicJwk[]
}

/** The keys that sign tenants' evidence; apart from those that sign events. */
export interface EvidenceSigners {
  /** The key that signs now; a tenant without keys gets its first. */
  signer(tenantId: string): Promise<TenantSigner>
  /** The ring with a new key, which signs immediately; the seed of the one before is gone. */
  rotated(unit: UnitOfWork, ring: EvidenceKeyRing): EvidenceKeyRing
  /** For anyone. Refuses with `not_found` for a tenant that has signed nothing. */
  keySet(tenantId: string): Promise<Result<EvidenceKeySet, 'not_found'>>
}

/** The read of a tenant's ring, for a unit of work. */
export function evidenceRingOf(tenantId: string): Read {
  return get(evidenceKeyRings, [tenantId])
}

/** Tenants whose opened key is kept. */
const cacheSize = 1_000

export function createEvidenceSigners(deps: {
  readonly ledger: Ledger
  readonly sealer: Sealer
  readonly primitives: Primitives
  readonly signing?: SigningThread
}): EvidenceSigners {
  const { ledger, sealer, primitives, signing } = deps
  const cache = new Map<string, { readonly version: number; readonly signer: TenantSigner }>()

  function newKey(unit: UnitOfWork, tenantId: string): EvidenceKey {
    const seed = unit.random.bytes(32)
    const publicKey = Uint8Array.from(primitives.ed25519PublicKey(seed))
    const keyId = thumbprintOf(publicKey)
    const sealed = sealer.seal(seed, evidenceSeedContext(tenantId, keyId))
    return { keyId, sealed, publicKey, createdAt: unit.now }
  }

  function load(tenantId: string): Promise<Versioned<EvidenceKeyRing>> {
    return rowOfTenant(ledger, evidenceKeyRings, tenantId, (unit) => ({
      tenantId,
      keys: [newKey(unit, tenantId)],
    }))
  }

  function open(tenantId: string, { row, version }: Versioned<EvidenceKeyRing>): TenantSigner {
    const known = cache.get(tenantId)
    if (known?.version === version) return known.signer
    const key = row.keys.at(-1)
    if (!key?.sealed) throw new Error(`the newest evidence key of ${tenantId} has no seed`)
    const seed = sealer.open(key.sealed, evidenceSeedContext(tenantId, key.keyId))
    const signer: TenantSigner = {
      keyId: key.keyId,
      sign: primitives.ed25519Signer(seed),
      ...(signing && { signAside: signing.ed25519Signer(seed) }),
      publicKey: evidenceJwk(key),
    }
    cache.delete(tenantId)
    cache.set(tenantId, { version, signer })
    const [oldest] = cache.keys()
    if (cache.size > cacheSize && oldest !== undefined) cache.delete(oldest)
    return signer
  }

  return {
    signer: async (tenantId) => open(tenantId, await load(tenantId)),
    rotated: (unit, ring) => ({
      ...ring,
      keys: [...ring.keys.map((key) => ({ ...key, sealed: null })), newKey(unit, ring.tenantId)],
    }),
    keySet: async (tenantId) => {
      const [found] = await ledger.read(tenantId, [evidenceRingOf(tenantId)])
      const ring = one(evidenceKeyRings, found)
      if (!ring) return refuse('not_found', 'no such key set')
      return ok({ keys: ring.row.keys.toReversed().map(evidenceJwk) })
    },
  }
}

/** A public evidence key as a JWK; `kid` is its thumbprint. */
function evidenceJwk({ publicKey, keyId }: EvidenceKey): PublicJwk {
  const x = base64Url(publicKey)
  return { kty: 'OKP', crv: 'Ed25519', x, kid: keyId, use: 'sig', alg: 'EdDSA' }
}
