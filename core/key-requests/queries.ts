import { authorizeMember, authorizeStaff } from '../access/authorize.ts'
import { refuseErrors, wrong } from '../ledger/input-errors.ts'
import { most } from '../ledger/limits.ts'
import { checkListQuery, type ListSource } from '../ledger/listing.ts'
import { readPart } from '../ledger/read-part.ts'
import { one } from '../ledger/reads.ts'
import { ok, refuse } from '../ledger/refusal.ts'
import type { KeyRequestDeps } from './deps.ts'
import { keyRequestView, staffKeyRequestView } from './present.ts'
import { type KeyRequest, keyRequestOf, keyRequestStatuses, keyRequests } from './records.ts'
import type { KeyRequestUseCases } from './use-cases.ts'
import type { KeyRequestView, StaffKeyRequestView } from './view.ts'

/** The refusal of an id that no request of the tenant has. */
export const noKeyRequest: ReturnType<typeof refuse> = refuse('not_found', 'no such key request')

/** The latest first. */
const requests = {
  collection: keyRequests,
  newest: true,
  cursor: 'requestId',
  piece: most.pageSize + 1,
} as const

export function listKeyRequests({ ledger }: KeyRequestDeps): KeyRequestUseCases['list'] {
  return async (actor, query) => {
    const member = authorizeMember(actor, 'readCustomerKeys')
    if (!member.ok) return member
    const asked = checkListQuery(query)
    if (!asked.ok) return asked
    const { tenantId } = member.value
    const source: ListSource<KeyRequest, KeyRequestView> = {
      ...requests,
      by: 'byTenant',
      where: [['tenantId', '=', tenantId]],
      tell: (rows) => rows.map(({ row }) => keyRequestView(row)),
    }
    return ok(await readPart(source, query, (reads) => ledger.read(tenantId, reads)))
  }
}

export function readKeyRequest({ ledger }: KeyRequestDeps): KeyRequestUseCases['read'] {
  return async (actor, requestId) => {
    const member = authorizeMember(actor, 'readCustomerKeys')
    if (!member.ok) return member
    const [found] = await ledger.read(member.value.tenantId, [keyRequestOf(requestId)])
    const request = one(keyRequests, found)
    return request ? ok(keyRequestView(request.row)) : noKeyRequest
  }
}

export function listForStaff({ ledger }: KeyRequestDeps): KeyRequestUseCases['listForStaff'] {
  return async (actor, { status }, query) => {
    const staff = authorizeStaff(actor, 'executeKeyRequests')
    if (!staff.ok) return staff
    const asked = checkListQuery(query)
    if (!asked.ok) return asked
    if (status !== undefined && !keyRequestStatuses.includes(status))
      return refuseErrors([wrong('/status', `expected one of ${keyRequestStatuses.join(', ')}`)])
    const source: ListSource<KeyRequest, StaffKeyRequestView> = {
      ...requests,
      by: status === undefined ? 'key' : 'byStatus',
      where: status === undefined ? [] : [['status', '=', status]],
      tell: (rows) => rows.map(({ row }) => staffKeyRequestView(row)),
    }
    return ok(await readPart(source, query, (reads) => ledger.read(null, reads)))
  }
}
