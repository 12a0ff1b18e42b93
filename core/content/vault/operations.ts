import { type Actor, actorName } from '../../kernel/callers/actor.ts'
import { authorize } from '../../kernel/callers/authorize.ts'
import { longest } from '../../kernel/ledger/limits.ts'
import { ok, type Result } from '../../kernel/ledger/refusal.ts'
import { object } from '../../kernel/members.ts'
import { operationsWith } from '../../kernel/operation.ts'
import { flag, line, type OutsOf } from '../../kernel/shape.ts'
import { fromOne } from '../../kernel/usual.ts'
import type { Runner } from '../../kernel/work/runner.ts'
import { tenantKeys } from './records.ts'
import { rotationReads, startRotation } from './rotate-tenant-key.ts'
import type { TenantKeyRing } from './tenant-keys.ts'

const { command, reading } = operationsWith<{
  /** Makes the tenants' encryption keys. */
  readonly ring: TenantKeyRing
}>()

const rotation = {
  /** Version of the newest key, which wraps new data keys. */
  keyVersion: fromOne,
}
/** A rotation of a tenant's encryption key that has begun. */
export interface TenantKeyRotation extends OutsOf<typeof rotation> {}
const state = {
  ...rotation,
  /** Whether data keys of subjects may still be wrapped under an earlier version. */
  rotating: flag,
}
/** The state of a tenant's encryption key. */
export interface TenantKeyState extends OutsOf<typeof state> {}

const right = 'rotateTenantKeys'
const common = {
  by: 'system',
  right,
  takes: { tenantId: line(longest.id) },
  of: ({ tenantId }: { readonly tenantId: string }) => tenantId,
} as const

/**
 * Begins the rotation of a tenant's encryption key: the new one wraps the keys of new subjects, due work re-wraps those of
 * all others, then the old one is removed. Payloads and pseudonyms stay unchanged and readable.
 */
export const rotateTenantKey = command({
  ...common,
  name: 'tenantKeys.rotate',
  doc: 'Begin the rotation of the encryption key of an organization',
  gives: object(rotation, 'TenantKeyRotation'),
  refuses: ['not_found', 'already_rotating'],
  async run(unit, { tenantId }) {
    const found = await unit.read(rotationReads(tenantId))
    const actor = actorName(unit.by)
    const { set, keyVersion } = unit.orRefuse(
      startRotation(unit, unit.tools.ring, found, { tenantId, actor }),
    )
    unit.include(set)
    return { keyVersion }
  },
})

/** The state of a tenant's encryption key. */
export const readTenantKey = reading({
  ...common,
  name: 'tenantKeys.read',
  doc: 'Read the state of the encryption key of an organization',
  gives: object(state, 'TenantKeyState'),
  refuses: ['not_found'],
  async run({ ask, refuse }, { tenantId }) {
    const { was } = await ask({ was: tenantKeys.get(tenantId) })
    const keys = was?.row.keys ?? []
    const keyVersion =
      keys.at(-1)?.version ?? refuse('not_found', 'nothing of this organization is sealed yet')
    return { keyVersion, rotating: keys.length > 1 }
  },
})

/** The tenants' encryption keys; for the operator alone (the system), not for members. */
export const tenantKeyOperations = [rotateTenantKey, readTenantKey] as const

/** The due work of rotations, which is no operation: it takes several commits. */
export interface TenantKeyWork {
  /** Does what is due of rotations, also where the service was not started. Items that another process leased are left out. */
  work(actor: Actor): Promise<Result<null>>
}

/** `runner` runs `tenantKeyRotation` alone. */
export function createTenantKeyWork(runner: Pick<Runner, 'tick'>): TenantKeyWork {
  return {
    async work(actor) {
      const allowed = authorize(actor, right)
      if (!allowed.ok) return allowed
      await runner.tick()
      return ok(null)
    },
  }
}
