import { actorName } from '../access/actor.ts'
import { authorize, authorizeMember } from '../access/authorize.ts'
import { executeAs } from '../access/execute-as.ts'
import { customerKeyView } from '../access/present.ts'
import { readAs } from '../access/read-as.ts'
import { type CustomerKey, customerKeys } from '../access/records.ts'
import type { AccessUseCases } from '../access/use-cases.ts'
import type { CustomerKeyView, NewCustomerKeyView } from '../access/view.ts'
import { audit } from '../ledger/audit.ts'
import { checkLine } from '../ledger/check-text.ts'
import { refuseErrors } from '../ledger/input-errors.ts'
import { isoTime } from '../ledger/iso-time.ts'
import { answer, commit, type Plan, refusal, type UnitOfWork } from '../ledger/ledger.ts'
import { longest, most } from '../ledger/limits.ts'
import { checkListQuery, type ListSource, piecesOf, wholeList } from '../ledger/listing.ts'
import { readPart } from '../ledger/read-part.ts'
import { get, one, put } from '../ledger/reads.ts'
import { ok, refuse } from '../ledger/refusal.ts'
import type { ChangeSet } from '../ports/store.ts'
import type { ApplicationDeps } from './deps.ts'
import { issueKey, issuingReads, type KeyToIssue } from './new-customer-key.ts'

/** The value is in this answer and nowhere else. */
export function issueCustomerKey({ ledger }: ApplicationDeps): AccessUseCases['issueCustomerKey'] {
  return async (actor, input) => {
    const authorized = authorize(actor, 'issueCustomerKeys')
    if (!authorized.ok) return authorized
    const createdBy = actorName(actor)
    return ledger.execute(input.tenantId, (unit) => issue(unit, { ...input, createdBy }))
  }
}

/** The value is in this answer and nowhere else. */
export function issueSecondaryKey({
  ledger,
}: ApplicationDeps): AccessUseCases['issueSecondaryKey'] {
  return async (actor, { applicationId }) => {
    const member = authorizeMember(actor, 'manageCustomerKeys')
    if (!member.ok) return member
    const malformed = refuseErrors(checkLine(applicationId, '/applicationId', longest.id))
    if (malformed) return malformed
    return executeAs(ledger, actor, 'manageCustomerKeys', (unit, by) =>
      issue(unit, {
        tenantId: by.tenantId,
        applicationId,
        type: 'secondary',
        createdBy: actorName(by),
      }),
    )
  }
}

async function issue(unit: UnitOfWork, given: KeyToIssue): Promise<Plan<NewCustomerKeyView>> {
  const issued = issueKey(unit, given, await unit.read(issuingReads(given)))
  if (!issued.ok) return refusal(issued)
  const { key, value, set } = issued.value
  return commit({ ...set, appends: [keyIssued(key)] }, { ...customerKeyView(key, unit.now), value })
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

export function listCustomerKeys({
  ledger,
  clock,
}: ApplicationDeps): AccessUseCases['listCustomerKeys'] {
  return async (actor, query) => {
    const member = authorizeMember(actor, 'readCustomerKeys')
    if (!member.ok) return member
    const asked = checkListQuery(query)
    if (!asked.ok) return asked
    const { tenantId } = member.value
    const source = keysOf(tenantId, clock.now())
    return ok(await readPart(source, query, (reads) => ledger.read(tenantId, reads)))
  }
}

export function allCustomerKeys({
  ledger,
  clock,
}: ApplicationDeps): AccessUseCases['allCustomerKeys'] {
  return async (actor) => {
    const member = authorizeMember(actor, 'readCustomerKeys')
    if (!member.ok) return member
    const read = readAs(ledger, member.value, 'readCustomerKeys')
    return ok(piecesOf(keysOf(member.value.tenantId, clock.now()), wholeList, read))
  }
}

function keysOf(tenantId: string, now: number): ListSource<CustomerKey, CustomerKeyView> {
  return {
    collection: customerKeys,
    where: [['tenantId', '=', tenantId]],
    by: 'key',
    newest: false,
    cursor: 'keyId',
    piece: most.pageSize + 1,
    tell: (rows) => rows.map(({ row }) => customerKeyView(row, now)),
  }
}

/** Revokes a key for good; idempotent. */
export function revokeCustomerKey({
  ledger,
}: ApplicationDeps): AccessUseCases['revokeCustomerKey'] {
  return (actor, keyId) =>
    executeAs(ledger, actor, 'manageCustomerKeys', async ({ now, read }, by) => {
      const { tenantId } = by
      const [found] = await read([get(customerKeys, [tenantId, keyId])])
      const was = one(customerKeys, found)
      if (!was) return refusal(refuse('not_found', 'no such customer key'))
      if (was.row.revokedAt !== null) return answer(customerKeyView(was.row, now))
      const key = { ...was.row, revokedAt: now }
      return commit(
        {
          puts: [put(customerKeys, key, was)],
          appends: [keyRevoked(key, now, actorName(by))],
        },
        customerKeyView(key, now),
      )
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
