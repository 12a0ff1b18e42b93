import type { Versioned } from '../base/ports/store.ts'
import type { Actor, CustomerKeyType } from '../kernel/callers/actor.ts'
import { activeCustomerKeysPerApplication } from '../kernel/ledger/limits.ts'
import { mapped, peek, type Query, Refused, rowUnder, together } from '../kernel/query.ts'
import type { Unit } from '../kernel/unit.ts'
import { tenants } from '../organizations/access/records.ts'
import { newCustomerKey } from '../organizations/api-keys/customer-key.ts'
import { type CustomerKey, customerKeys } from '../organizations/api-keys/key-records.ts'
import { activeApplication } from './load.ts'
import { outdated } from './outdated-keys.ts'
import { type Application, applications } from './records.ts'

/** What is known of a key before it is made. */
export interface KeyToIssue {
  readonly tenantId: string
  readonly applicationId: string
  /** Of a key that was promised under this id; absent: a new one. */
  readonly keyId?: string
  readonly type: CustomerKeyType
  readonly ratePerMinute?: number | null
  /** As in the audit log. */
  readonly createdBy: string
}

/** Why no key is issued. */
export type IssueRefusal = 'not_found' | 'application_gone' | 'too_many_keys'

/** An application that may have one more key. */
interface Issuing {
  readonly application: Versioned<Application>
  /** Empty in a tombstone. */
  readonly organizationName: string
  /** Its revoked keys that go with the next one. */
  readonly outdated: readonly Versioned<CustomerKey>[]
}

/** Whether a key may be issued: an active application has at most `activeCustomerKeysPerApplication`. */
export function issuing(tenantId: string, applicationId: string): Query<Issuing, IssueRefusal> {
  const found = {
    application: activeApplication(tenantId, applicationId),
    tenant: peek(rowUnder(tenants, [tenantId]), 'of its name only the beginning is in the key'),
    keys: customerKeys.by('byApplication', { applicationId }),
  }
  return mapped(together(found), ({ application, tenant, keys: { rows } }) => {
    const count = rows.filter(({ row }) => row.revokedAt === null).length
    if (count >= activeCustomerKeysPerApplication)
      return new Refused(
        'too_many_keys',
        `the application has ${count} active customer keys, expected fewer than ${activeCustomerKeysPerApplication}: revoke one first`,
      )
    const organizationName = tenant?.row.name ?? ''
    return { application, organizationName, outdated: outdated(rows) }
  })
}

/** A new customer key, and its compound for the caller: the commit has nothing of it but its hash. */
export async function issueKey(
  unit: Pick<Unit<Actor, IssueRefusal>, 'ask' | 'put' | 'remove' | 'id' | 'now' | 'random'>,
  given: KeyToIssue,
): Promise<{ readonly key: CustomerKey; readonly value: string }> {
  const { tenantId, applicationId } = given
  const { standing } = await unit.ask({ standing: issuing(tenantId, applicationId) })
  const { application, organizationName } = standing
  const text = newCustomerKey(unit.random, organizationName)
  const key: CustomerKey = {
    tenantId,
    applicationId,
    keyId: given.keyId ?? unit.id('key'),
    type: given.type,
    hash: text.hash,
    prefix: text.prefix,
    component: text.component,
    ratePerMinute: given.ratePerMinute ?? null,
    createdAt: unit.now,
    createdBy: given.createdBy,
    lastUsedAt: null,
    revokedAt: null,
  }
  // Written, not only checked: of two keys issued concurrently, one must count the other.
  unit.put(applications, application.row, application)
  unit.put(customerKeys, key)
  for (const was of standing.outdated) unit.remove(customerKeys, was)
  return { key, value: text.value }
}
