import type { ChangeSet, Check, Found, Read, Versioned } from '../base/ports/store.ts'
import type { CustomerKeyType } from '../kernel/callers/actor.ts'
import type { UnitOfWork } from '../kernel/ledger/ledger.ts'
import { activeCustomerKeysPerApplication } from '../kernel/ledger/limits.ts'
import {
  everyRow,
  get,
  list,
  many,
  one,
  put,
  removalsOf,
  unchanged,
} from '../kernel/ledger/reads.ts'
import { ok, type Result, refuse } from '../kernel/ledger/refusal.ts'
import { tenants } from '../organizations/access/records.ts'
import { newCustomerKey } from '../organizations/api-keys/customer-key.ts'
import { type CustomerKey, customerKeys } from '../organizations/api-keys/key-records.ts'
import { active, applicationOf } from './load.ts'
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

/** A key that the change creates. */
export interface IssuedKey {
  readonly key: CustomerKey
  /** The compound, for the caller; nothing of it but its hash is in the change. */
  readonly value: string
  readonly set: Required<Pick<ChangeSet, 'puts' | 'removes'>>
}

/** The reads whose answers `issueKey` takes, in their order. */
export function issuingReads({
  tenantId,
  applicationId,
}: Pick<KeyToIssue, 'tenantId' | 'applicationId'>): readonly Read[] {
  return [
    applicationOf(tenantId, applicationId),
    get(tenants, [tenantId]),
    list(customerKeys, {
      by: 'byApplication',
      where: [['applicationId', '=', applicationId]],
      take: everyRow,
    }),
  ]
}

/** Why no key is issued. */
export type IssueRefusal = 'not_found' | 'application_gone' | 'too_many_keys'

/** An application that may have one more key, and its revoked keys that are to go then. */
export interface IssuingStanding {
  readonly application: Versioned<Application>
  readonly outdated: readonly Versioned<CustomerKey>[]
  /** For a commit that relies on it and issues nothing. */
  readonly check: Check
}

/** Whether a key may be issued. */
export function mayIssue([foundApplication, , foundKeys]: readonly Found[]): Result<
  IssuingStanding,
  IssueRefusal
> {
  const loaded = active(foundApplication)
  if (!loaded.ok) return loaded
  const application = loaded.value
  const keys = many(customerKeys, foundKeys)
  const count = keys.filter(({ row }) => row.revokedAt === null).length
  if (count >= activeCustomerKeysPerApplication)
    return refuse(
      'too_many_keys',
      `the application has ${count} active customer keys, expected fewer than ${activeCustomerKeysPerApplication}: revoke one first`,
    )
  return ok({ application, outdated: outdated(keys), check: unchanged(applications, application) })
}

/** A new customer key of an active application; `too_many_keys` where it has as many active ones as there may be. */
export function issueKey(
  { now, id, random }: UnitOfWork,
  given: KeyToIssue,
  found: readonly Found[],
): Result<IssuedKey, IssueRefusal> {
  const standing = mayIssue(found)
  if (!standing.ok) return standing
  const { application, outdated } = standing.value
  const text = newCustomerKey(random, one(tenants, found[1])?.row.name ?? '')
  const key: CustomerKey = {
    tenantId: given.tenantId,
    applicationId: given.applicationId,
    keyId: given.keyId ?? id('key'),
    type: given.type,
    hash: text.hash,
    prefix: text.prefix,
    component: text.component,
    ratePerMinute: given.ratePerMinute ?? null,
    createdAt: now,
    createdBy: given.createdBy,
    lastUsedAt: null,
    revokedAt: null,
  }
  return ok({
    key,
    value: text.value,
    set: {
      // Written, not only checked: of two keys issued concurrently, one must count the other.
      puts: [put(applications, application.row, application), put(customerKeys, key, null)],
      removes: removalsOf(customerKeys, outdated),
    },
  })
}
