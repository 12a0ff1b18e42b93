import { authorizeMember, authorizeStaff } from '../access/authorize.ts'
import { refuseErrors, wrong } from '../ledger/input-errors.ts'
import { checkPage, type PageQuery, pageOf } from '../ledger/page.ts'
import { list, many, one } from '../ledger/reads.ts'
import { ok, refuse } from '../ledger/refusal.ts'
import type { Where } from '../ports/store.ts'
import type { KeyRequestDeps } from './deps.ts'
import { keyRequestView, staffKeyRequestView } from './present.ts'
import { keyRequestOf, keyRequestStatuses, keyRequests } from './records.ts'
import type { KeyRequestUseCases } from './use-cases.ts'

/** The refusal of an id that no request of the tenant has. */
export const noKeyRequest: ReturnType<typeof refuse> = refuse('not_found', 'no such key request')

function newest(by: string, where: Where, { page, pageSize }: PageQuery) {
  const skip = (page - 1) * pageSize
  return list(keyRequests, { by, where, newest: true, skip, take: pageSize, count: true })
}

export function listKeyRequests({ ledger }: KeyRequestDeps): KeyRequestUseCases['list'] {
  return async (actor, query) => {
    const member = authorizeMember(actor, 'readCustomerKeys')
    if (!member.ok) return member
    const paging = checkPage(query)
    if (!paging.ok) return paging
    const { tenantId } = member.value
    const [found] = await ledger.read(tenantId, [
      newest('byTenant', [['tenantId', '=', tenantId]], query),
    ])
    const items = many(keyRequests, found).map(({ row }) => keyRequestView(row))
    return ok(pageOf(items, found?.total ?? 0, query))
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
    const paging = checkPage(query)
    if (!paging.ok) return paging
    if (status !== undefined && !keyRequestStatuses.includes(status))
      return refuseErrors([wrong('/status', `expected one of ${keyRequestStatuses.join(', ')}`)])
    const [found] = await ledger.read(null, [
      status === undefined
        ? newest('key', [], query)
        : newest('byStatus', [['status', '=', status]], query),
    ])
    const items = many(keyRequests, found).map(({ row }) => staffKeyRequestView(row))
    return ok(pageOf(items, found?.total ?? 0, query))
  }
}
