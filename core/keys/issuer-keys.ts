import type { Sealer } from '../base/ports/secrets.ts'
import type { Put, Read, Versioned } from '../base/ports/store.ts'
import type { Ledger, UnitOfWork } from '../kernel/ledger/ledger.ts'
import { get, one, put } from '../kernel/ledger/reads.ts'
import { ok, type Result, refuse } from '../kernel/ledger/refusal.ts'
import { rowOfTenant } from '../kernel/ledger/row-of-tenant.ts'
import { formatPublicKey } from '../proof/signing/key-text.ts'
import { type PrivateKey, privateKey } from '../proof/signing/keys.ts'
import type { Primitives, SigningThread } from '../proof/signing/primitives.ts'
import { type PublicJwk, publicJwk } from './jwk.ts'
import { type IssuerKeyRing, issuerKeyRings, seedContext } from './records.ts'
import { firstRing, type KeyMaterial, nextVersion, published, rotate, signing } from './ring.ts'

/** What signs for a tenant at a time. */
export interface Signers {
  /** The version of the newest that signs. */
  readonly version: number
  /** The newest first. */
  readonly keys: readonly PrivateKey[]
}

/** The keys that sign for tenants. */
export interface IssuerKeys {
  /** The put that gives a tenant its first key, for the commit that makes the tenant, or that first needs one. */
  first(unit: UnitOfWork, tenantId: string): { readonly ring: IssuerKeyRing; readonly put: Put }
  /** The ring with its next key on the way; `already_rotating` while one is. */
  rotated(unit: UnitOfWork, ring: IssuerKeyRing): Result<IssuerKeyRing, 'already_rotating'>
  /** What signs at `now` (ms); no promise where the ring was read lately. A tenant without keys gets its first. */
  signers(tenantId: string, now: number): Signers | Promise<Signers>
  /** `whpk_…` of the newest key that signs for the tenant at `now` (ms). */
  publicKeyOf(tenantId: string, now: number): Promise<string>
  /** The tenant's public keys as a JWK set, for anyone. */
  keySet(
    tenantId: string,
    now: number,
  ): Promise<Result<{ readonly keys: readonly PublicJwk[] }, 'not_found'>>
}

/** The read of a tenant's ring, for a unit of work. */
export function ringOf(tenantId: string): Read {
  return get(issuerKeyRings, [tenantId])
}

/** How long a ring is used before the store is asked again; far less than a key is published ahead. */
const freshMs = 60 * 60 * 1_000
/** Tenants whose opened keys are kept. */
const cacheSize = 10_000

interface OpenRing {
  readonly ring: Versioned<IssuerKeyRing>
  readonly readAt: number
  readonly keys: ReadonlyMap<number, PrivateKey>
}

export function createIssuerKeys(deps: {
  readonly ledger: Ledger
  readonly sealer: Sealer
  readonly primitives: Primitives
  readonly signing?: SigningThread
}): IssuerKeys {
  const { ledger, sealer, primitives } = deps
  const cache = new Map<string, OpenRing>()
  const opening = new Map<string, Promise<OpenRing>>()

  function material(unit: UnitOfWork, tenantId: string, version: number): KeyMaterial {
    const seed = unit.random.bytes(32)
    return {
      sealed: sealer.seal(seed, seedContext(tenantId, version)),
      publicKey: Uint8Array.from(primitives.ed25519PublicKey(seed)),
    }
  }

  function first(unit: UnitOfWork, tenantId: string): { ring: IssuerKeyRing; put: Put } {
    const ring = firstRing(tenantId, material(unit, tenantId, 1), unit.now)
    return { ring, put: put(issuerKeyRings, ring, null) }
  }

  function load(tenantId: string): Promise<Versioned<IssuerKeyRing>> {
    return rowOfTenant(ledger, issuerKeyRings, tenantId, (unit) => first(unit, tenantId).ring)
  }

  /** Opens what may still sign; what the cache has under the same row is not opened again. */
  async function open(tenantId: string, now: number): Promise<OpenRing> {
    const ring = await load(tenantId)
    const known = cache.get(tenantId)
    const keys =
      known?.ring.version === ring.version
        ? known.keys
        : new Map(
            ring.row.keys.flatMap(({ version, sealed }) => {
              if (!sealed) return []
              const seed = sealer.open(sealed, seedContext(tenantId, version))
              return [[version, privateKey(seed, primitives, deps.signing)] as const]
            }),
          )
    const opened = { ring, readAt: now, keys }
    cache.delete(tenantId)
    cache.set(tenantId, opened)
    const [oldest] = cache.keys()
    if (cache.size > cacheSize && oldest !== undefined) cache.delete(oldest)
    return opened
  }

  /** However many deliveries wait for it, a ring is read once. */
  function openOnce(tenantId: string, now: number): Promise<OpenRing> {
    const waiting = opening.get(tenantId)
    if (waiting) return waiting
    const started = open(tenantId, now).finally(() => opening.delete(tenantId))
    opening.set(tenantId, started)
    return started
  }

  function signersIn({ ring, keys }: OpenRing, now: number): Signers {
    const active = signing(ring.row, now)
    const [newest] = active
    if (!newest) throw new Error(`no key of ${ring.row.tenantId} signs at ${now}`)
    return {
      version: newest.version,
      keys: active.flatMap(({ version }) => keys.get(version) ?? []),
    }
  }

  function signers(tenantId: string, now: number): Signers | Promise<Signers> {
    const known = cache.get(tenantId)
    if (known && Math.abs(now - known.readAt) < freshMs) return signersIn(known, now)
    return openOnce(tenantId, now).then((opened) => signersIn(opened, now))
  }

  return {
    first,
    rotated: (unit, ring) =>
      rotate(ring, material(unit, ring.tenantId, nextVersion(ring)), unit.now),
    signers,
    async publicKeyOf(tenantId, now) {
      const { keys } = await signers(tenantId, now)
      const [newest] = keys
      if (!newest) throw new Error(`no key of ${tenantId} signs`)
      return formatPublicKey(newest.publicKey)
    },
    async keySet(tenantId, now) {
      const [found] = await ledger.read(tenantId, [ringOf(tenantId)])
      const ring = one(issuerKeyRings, found)
      if (!ring) return refuse('not_found', 'no such key set')
      return ok({ keys: published(ring.row, now).map(publicJwk) })
    },
  }
}
