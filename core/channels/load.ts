import { checkFeature } from '../access/plans.ts'
import { tenants } from '../access/records.ts'
import type { UnitOfWork } from '../ledger/ledger.ts'
import { get, one } from '../ledger/reads.ts'
import { ok, type Result, refuse } from '../ledger/refusal.ts'
import type { Check, Found, Versioned } from '../ports/store.ts'
import { type NotificationChannel, notificationChannels } from './records.ts'

/** The channel; `not_found` for an unknown id and for another tenant's. */
export function existingChannel(found: Found | undefined): Result<Versioned<NotificationChannel>> {
  const channel = one(notificationChannels, found)
  return channel ? ok(channel) : refuse('not_found', 'no such notification channel')
}

/** The plan includes chats, also at the commit. */
export async function checkPlan(
  unit: UnitOfWork,
  tenantId: string,
): Promise<Result<readonly Check[]>> {
  const [found] = await unit.read([get(tenants, [tenantId])])
  const tenant = one(tenants, found)
  const included = checkFeature(tenant?.row, 'notificationChannels')
  if (!included.ok) return included
  return ok([{ in: tenants.name, key: [tenantId], version: tenant?.version ?? 0 }])
}
