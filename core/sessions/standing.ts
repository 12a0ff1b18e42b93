import { active, applicationOf } from '../applications/load.ts'
import { type Application, applications } from '../applications/records.ts'
import type { Check, Found, Read, Versioned } from '../base/ports/store.ts'
import type { CustomerKeyActor } from '../kernel/callers/actor.ts'
import { planOf, type TenantPlan } from '../kernel/callers/plans.ts'
import { get, one, unchanged } from '../kernel/ledger/reads.ts'
import { ok, type Result, refuse } from '../kernel/ledger/refusal.ts'
import { tenants } from '../organizations/access/records.ts'
import { customerKeys } from '../organizations/api-keys/key-records.ts'

/** What a customer key may rely on, with the checks that it stays so until the commit. */
export interface KeyStanding {
  readonly application: Versioned<Application>
  readonly plan: TenantPlan
  readonly checks: readonly Check[]
}

/** How many answers of the store `keyStandingOf` takes. */
export const keyStandingReadCount = 3

/** The reads whose answers `keyStandingOf` takes, in their order. */
export function keyStandingReads({
  tenantId,
  applicationId,
  keyId,
}: CustomerKeyActor): readonly Read[] {
  return [
    get(customerKeys, [tenantId, keyId]),
    applicationOf(tenantId, applicationId),
    get(tenants, [tenantId]),
  ]
}

/** The key by current rows: nothing is taken after the commit that revokes it or starts its application's deletion. */
export function keyStandingOf(found: readonly Found[]): Result<KeyStanding> {
  const key = one(customerKeys, found[0])
  if (!key || key.row.revokedAt !== null)
    return refuse('authentication_required', 'the customer key is no longer valid')
  const application = active(found[1])
  if (!application.ok) return application
  return ok({
    application: application.value,
    plan: planOf(one(tenants, found[2])?.row),
    checks: [unchanged(customerKeys, key), unchanged(applications, application.value)],
  })
}
