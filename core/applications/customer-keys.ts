import type { Clock } from '../base/ports/clock.ts'
import type { ChangeSet } from '../base/ports/store.ts'
import { type Actor, actorName, customerKeyTypes } from '../kernel/callers/actor.ts'
import { authorizeMember } from '../kernel/callers/authorize.ts'
import { audit } from '../kernel/ledger/audit.ts'
import { isoTime } from '../kernel/ledger/iso-time.ts'
import type { Ledger } from '../kernel/ledger/ledger.ts'
import { longest } from '../kernel/ledger/limits.ts'
import type { Pieces } from '../kernel/ledger/listing.ts'
import { ok, type Result } from '../kernel/ledger/refusal.ts'
import { rowsBy } from '../kernel/list.ts'
import { operationsWith } from '../kernel/operation.ts'
import { orNotFound } from '../kernel/query.ts'
import { line, oneOf } from '../kernel/shape.ts'
import type { Unit } from '../kernel/unit.ts'
import { readAs } from '../organizations/access/read-as.ts'
import {
  type CustomerKey,
  type CustomerKeyView,
  customerKeyShape,
  customerKeys,
  customerKeyView,
  type NewCustomerKeyView,
  newCustomerKeyShape,
  ratePerMinute,
  shownCustomerKey,
  staffCustomerKeyShape,
  staffCustomerKeyView,
} from '../organizations/api-keys/key-records.ts'
import { type IssueRefusal, issueKey, type KeyToIssue } from './new-customer-key.ts'

/** What lists of customer keys need: the advice on a key depends on the time. */
export interface CustomerKeyTools {
  readonly clock: Clock
}

const { command, list } = operationsWith<CustomerKeyTools>()
const { applicationId, keyId } = shownCustomerKey

/** The customer keys of all the tenant's applications, oldest first. */
export const listCustomerKeys = list({
  name: 'customerKeys.list',
  doc: 'List the customer keys of all applications, without their values',
  right: 'readCustomerKeys',
  filter: {},
  items: 'customerKeys',
  item: customerKeyShape,
  refuses: [],
  source: ({ by: { tenantId }, tools: { clock } }) => keysOf(tenantId, clock.now()),
})

/** Issues a secondary customer key; the answer alone shows its value. */
export const issueCustomerKey = command({
  name: 'customerKeys.issue',
  doc: 'Issue a secondary key of an application and show its value once',
  right: 'manageCustomerKeys',
  takes: { applicationId },
  gives: newCustomerKeyShape,
  refuses: ['not_found', 'application_gone', 'too_many_keys'],
  run: (unit, { applicationId }) =>
    issue(unit, { tenantId: unit.by.tenantId, applicationId, type: 'secondary' }),
})

/** Issues a customer key of any type; the answer alone shows its value. */
export const provisionCustomerKey = command({
  name: 'customerKeys.provision',
  doc: 'Issue a key of any type to an organization, by the system',
  by: 'system',
  right: 'issueCustomerKeys',
  takes: {
    tenantId: line(longest.id),
    applicationId,
    type: oneOf(customerKeyTypes),
    ratePerMinute,
  },
  gives: newCustomerKeyShape,
  refuses: ['not_found', 'application_gone', 'too_many_keys'],
  of: ({ tenantId }) => tenantId,
  run: issue,
})

/** Revokes a customer key for good: no request that begins after the commit is let in by it. */
export const revokeCustomerKey = command({
  name: 'customerKeys.revoke',
  doc: 'Revoke a customer key for good',
  right: 'manageCustomerKeys',
  takes: { keyId },
  gives: customerKeyShape,
  refuses: ['not_found'],
  async run(unit, { keyId }) {
    const { now, by } = unit
    const { was } = await unit.ask({
      was: orNotFound(customerKeys.get(by.tenantId, keyId), 'customer key'),
    })
    if (was.row.revokedAt !== null) return customerKeyView(was.row, now)
    const key = { ...was.row, revokedAt: now }
    unit.put(customerKeys, key, was)
    unit.include({ appends: [keyRevoked(key, now, actorName(by))] })
    return customerKeyView(key, now)
  },
})

/** Sets the rate of a key of any tenant; it holds from the key's next request on, since each reads the key. */
export const setCustomerKeyRate = command({
  name: 'customerKeys.setRate',
  doc: 'Set how many requests a customer key may send within a rolling minute',
  by: 'staff',
  right: 'setCustomerKeyRates',
  takes: { keyId, ratePerMinute },
  gives: staffCustomerKeyShape,
  refuses: ['not_found'],
  async prepare({ ask }, { keyId }) {
    const byId = orNotFound(customerKeys.first('byId', { keyId }), 'customer key')
    return (await ask({ key: byId })).key.row.tenantId
  },
  within: (tenantId) => tenantId,
  async run(unit, { keyId, ratePerMinute }, tenantId) {
    const { was } = await unit.ask({
      was: orNotFound(customerKeys.get(tenantId, keyId), 'customer key'),
    })
    const key = { ...was.row, ratePerMinute }
    if (was.row.ratePerMinute !== ratePerMinute) {
      unit.put(customerKeys, key, was)
      unit.audit('customer_key.rate_set', keyId, { ratePerMinute }, tenantId)
    }
    return staffCustomerKeyView(key, unit.now)
  },
})

/** Keys of customers (interface, Portal host). */
export const customerKeyOperations = [
  listCustomerKeys,
  issueCustomerKey,
  provisionCustomerKey,
  revokeCustomerKey,
  setCustomerKeyRate,
] as const

/** The whole list, which is no operation: an answer in pieces. */
export interface WholeCustomerKeys {
  /** All customer keys of the tenant, read as they are asked for. */
  all(actor: Actor): Promise<Result<Pieces<CustomerKeyView>>>
}

/** The whole list over a ledger. */
export function createWholeCustomerKeys({
  ledger,
  clock,
}: CustomerKeyTools & { readonly ledger: Ledger }): WholeCustomerKeys {
  const right = 'readCustomerKeys'
  return {
    async all(actor) {
      const member = authorizeMember(actor, right)
      if (!member.ok) return member
      const rows = keysOf(member.value.tenantId, clock.now())
      return ok(rows.whole(readAs(ledger, member.value, right)))
    },
  }
}

function keysOf(
  tenantId: string,
  now: number,
): ReturnType<typeof rowsBy<CustomerKey, CustomerKeyView>> {
  return rowsBy(customerKeys, {
    by: 'key',
    where: { tenantId },
    cursor: 'keyId',
    show: (key) => customerKeyView(key, now),
  })
}

async function issue(
  unit: Unit<Actor, IssueRefusal>,
  asked: Omit<KeyToIssue, 'createdBy'>,
): Promise<NewCustomerKeyView> {
  const given = { ...asked, createdBy: actorName(unit.by) }
  const { key, value } = await issueKey(unit, given)
  unit.include({ appends: [keyIssued(key)] })
  return { ...customerKeyView(key, unit.now), value }
}

/** The audit entry of a key that was issued. */
export function keyIssued(
  key: CustomerKey,
  requestId: string | null = null,
): NonNullable<ChangeSet['appends']>[number] {
  const { tenantId, applicationId, type, prefix } = key
  return audit(tenantId, {
    at: isoTime(key.createdAt),
    actor: key.createdBy,
    action: 'customer_key.issued',
    subject: key.keyId,
    detail: { applicationId, type, prefix, ...(requestId !== null && { requestId }) },
  })
}

/** The audit entry of a key that was revoked. */
export function keyRevoked(
  key: CustomerKey,
  now: number,
  actor: string,
): NonNullable<ChangeSet['appends']>[number] {
  const { tenantId, applicationId, type, prefix } = key
  return audit(tenantId, {
    at: isoTime(now),
    actor,
    action: 'customer_key.revoked',
    subject: key.keyId,
    detail: { applicationId, type, prefix },
  })
}
