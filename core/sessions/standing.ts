import { active, applicationOf } from '../applications/load.ts'
import { type Application, applications } from '../applications/records.ts'
import type { Check, Versioned } from '../base/ports/store.ts'
import type { CustomerKeyActor } from '../kernel/callers/actor.ts'
import { planOf, type TenantPlan } from '../kernel/callers/plans.ts'
import type { UnitOfWork } from '../kernel/ledger/ledger.ts'
import { get, one, unchanged } from '../kernel/ledger/reads.ts'
import { ok, type Result, refuse } from '../kernel/ledger/refusal.ts'
import { type Query, queryOf } from '../kernel/query.ts'
import { tenants } from '../organizations/access/records.ts'
import { customerKeys } from '../organizations/api-keys/key-records.ts'
import type { Scene } from '../review/execution/scene.ts'
import { eventTime } from '../webhooks/routing/event-time.ts'

/** What a customer key may rely on, with the checks that it stays so until the commit. */
export interface KeyStanding {
  readonly application: Versioned<Application>
  readonly plan: TenantPlan
  readonly checks: readonly Check[]
}

/** The key by current rows: nothing is taken after the commit that revokes it or starts its application's deletion. */
export function keyStanding({
  tenantId,
  applicationId,
  keyId,
}: CustomerKeyActor): Query<Result<KeyStanding>> {
  const reads = [
    get(customerKeys, [tenantId, keyId]),
    applicationOf(tenantId, applicationId),
    get(tenants, [tenantId]),
  ]
  return queryOf<Result<KeyStanding>>(reads, ([foundKey, applied, tenant]) => {
    const key = one(customerKeys, foundKey)
    if (!key || key.row.revokedAt !== null)
      return refuse('authentication_required', 'the customer key is no longer valid')
    const application = active(applied)
    if (!application.ok) return application
    return ok({
      application: application.value,
      plan: planOf(one(tenants, tenant)?.row),
      checks: [unchanged(customerKeys, key), unchanged(applications, application.value)],
    })
  })
}

/** What a commit by a key depends on beside its session. */
export function sceneOfKey(
  unit: UnitOfWork,
  routing: Scene['routing'],
  { application }: KeyStanding,
): Scene {
  return { unit, routing, application, at: eventTime(routing, unit.now) }
}
