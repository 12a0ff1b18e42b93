import { actorName } from '../access/actor.ts'
import { authorize } from '../access/authorize.ts'
import { newCustomerKey } from '../access/customer-key.ts'
import { customerKeyView } from '../access/present.ts'
import { type CustomerKey, customerKeys, tenants } from '../access/records.ts'
import type { AccessUseCases } from '../access/use-cases.ts'
import { audit } from '../ledger/audit.ts'
import { isoTime } from '../ledger/iso-time.ts'
import { commit, refusal } from '../ledger/ledger.ts'
import { get, one, put } from '../ledger/reads.ts'
import type { ApplicationDeps } from './deps.ts'
import { active, applicationOf } from './load.ts'
import { applications } from './records.ts'

/** The value is in this answer and nowhere else. */
export function issueCustomerKey({
  ledger,
  random,
}: ApplicationDeps): AccessUseCases['issueCustomerKey'] {
  return async (actor, { tenantId, applicationId, type }) => {
    const authorized = authorize(actor, 'issueCustomerKeys')
    if (!authorized.ok) return authorized
    return ledger.execute(tenantId, async ({ now, id, read }) => {
      const [foundApplication, foundTenant] = await read([
        applicationOf(tenantId, applicationId),
        get(tenants, [tenantId]),
      ])
      const application = active(foundApplication)
      if (!application.ok) return refusal(application)
      const text = newCustomerKey(random, one(tenants, foundTenant)?.row.name ?? '')
      const key: CustomerKey = {
        tenantId,
        applicationId,
        keyId: id('key'),
        type,
        hash: text.hash,
        prefix: text.prefix,
        component: text.component,
        ratePerMinute: null,
        createdAt: now,
        createdBy: actorName(actor),
        lastUsedAt: null,
        revokedAt: null,
      }
      const check = {
        in: applications.name,
        key: [tenantId, applicationId],
        version: application.value.version,
      } as const
      return commit(
        {
          checks: [check],
          puts: [put(customerKeys, key, null)],
          appends: [
            audit(tenantId, {
              at: isoTime(now),
              actor: actorName(actor),
              action: 'customer_key.issued',
              subject: key.keyId,
              detail: { applicationId, type, prefix: key.prefix },
            }),
          ],
        },
        { ...customerKeyView(key), value: text.value },
      )
    })
  }
}
