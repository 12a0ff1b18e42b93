import { type Actor, actorName } from '../../kernel/callers/actor.ts'
import { authorize } from '../../kernel/callers/authorize.ts'
import type { Ledger } from '../../kernel/ledger/ledger.ts'
import { get, one } from '../../kernel/ledger/reads.ts'
import { ok, type Result, refuse } from '../../kernel/ledger/refusal.ts'
import type { Runner } from '../../kernel/work/runner.ts'
import { tenantKeys } from './records.ts'
import { rotateTenantKey, type TenantKeyRotation } from './rotate-tenant-key.ts'
import type { TenantKeyRing } from './tenant-keys.ts'

/** Where a tenant's encryption key stands. */
export interface TenantKeyState {
  /** Of the key that wraps what is sealed now. */
  readonly keyVersion: number
  /** Keys of subjects may lie under an earlier version still. */
  readonly rotating: boolean
}

/** The tenants' encryption keys; for the operator alone (the system), not for members. */
export interface TenantKeyUseCases {
  /**
   * Begins the rotation of a tenant's encryption key; what is sealed stays readable throughout, and the runner of due
   * work does the rest. Refuses with `not_found` where nothing of the tenant is sealed yet, `already_rotating`.
   */
  rotate(actor: Actor, tenantId: string): Promise<Result<TenantKeyRotation>>
  /** Where the key stands. Refuses with `not_found` where nothing of the tenant is sealed yet. */
  read(actor: Actor, tenantId: string): Promise<Result<TenantKeyState>>
  /**
   * Does what is due of rotations, also where the service was not started. What another process has leased is left to
   * it. Refuses nothing but by right.
   */
  work(actor: Actor): Promise<Result<null>>
}

export function createTenantKeys(deps: {
  readonly ledger: Ledger
  readonly ring: TenantKeyRing
  /** Runs `tenantKeyRotation` alone. */
  readonly runner: Pick<Runner, 'tick'>
}): TenantKeyUseCases {
  const right = 'rotateTenantKeys'
  return {
    async rotate(actor, tenantId) {
      const allowed = authorize(actor, right)
      return allowed.ok ? rotateTenantKey(deps, tenantId, actorName(actor)) : allowed
    },
    async read(actor, tenantId) {
      const allowed = authorize(actor, right)
      if (!allowed.ok) return allowed
      const [found] = await deps.ledger.read(tenantId, [get(tenantKeys, [tenantId])])
      const keys = one(tenantKeys, found)?.row.keys ?? []
      const newest = keys.at(-1)
      if (!newest) return refuse('not_found', 'nothing of this organization is sealed yet')
      return ok({ keyVersion: newest.version, rotating: keys.length > 1 })
    },
    async work(actor) {
      const allowed = authorize(actor, right)
      if (!allowed.ok) return allowed
      await deps.runner.tick()
      return ok(null)
    },
  }
}
