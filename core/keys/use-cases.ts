import type { Actor } from '../kernel/callers/actor.ts'
import type { Result } from '../kernel/ledger/refusal.ts'
import type { PublicJwk } from './jwk.ts'

/** A rotation of the tenant's signing key; times are ISO 8601 UTC. */
export interface KeyRotationView {
  /** Of the next key, which is published now. */
  readonly keyVersion: number
  /** `whpk_…` of the next key. */
  readonly publicKey: string
  /** When the next key begins to sign, beside the previous one. */
  readonly signsFrom: string
  /** When the previous key signs its last. */
  readonly previousSignsUntil: string
}

export interface KeyUseCases {
  /**
   * Starts the rotation of the tenant's signing key. Refuses with `forbidden`, `not_found` before the tenant has a key
   * and `already_rotating` until the rotation under way has ended (`retryAfter` says when).
   */
  rotateKeys(actor: Actor): Promise<Result<KeyRotationView>>
  /** The tenant's public keys as a JWK set (RFC 7517); needs no actor. Refuses with `not_found`. */
  keySet(tenantId: string): Promise<Result<{ readonly keys: readonly PublicJwk[] }>>
}
