import { checkPage, pageOf } from '../../ledger/page.ts'
import { get, list, many, one } from '../../ledger/reads.ts'
import { ok } from '../../ledger/refusal.ts'
import { authorizeMember } from '../authorize.ts'
import type { AccessDeps } from '../deps.ts'
import { members } from '../records.ts'
import { invitationView, memberRecordView } from './present.ts'
import { invitations } from './records.ts'
import type { MembershipUseCases } from './use-cases.ts'

export function listMembers({ ledger }: AccessDeps): MembershipUseCases['listMembers'] {
  return async (actor, query) => {
    const member = authorizeMember(actor, 'readMembers')
    if (!member.ok) return member
    const paging = checkPage(query)
    if (!paging.ok) return paging
    const { tenantId } = member.value
    const [found] = await ledger.read(tenantId, [
      list(members, {
        ...(query.status === undefined
          ? { where: [['tenantId', '=', tenantId]] }
          : {
              by: 'byStatus',
              where: [
                ['tenantId', '=', tenantId],
                ['status', '=', query.status],
              ],
            }),
        skip: (query.page - 1) * query.pageSize,
        take: query.pageSize,
        count: true,
      }),
    ])
    const rows = many(members, found).map(({ row }) => row)
    const waiting = rows.flatMap(({ status, invitationId }) =>
      status === 'Pending invitation' && invitationId !== undefined ? [invitationId] : [],
    )
    const asked = await ledger.read(
      tenantId,
      waiting.map((invitationId) => get(invitations, [tenantId, invitationId])),
    )
    const invited = new Map(waiting.map((id, at) => [id, one(invitations, asked[at])?.row ?? null]))
    const items = rows.map((row) =>
      memberRecordView(row, invited.get(row.invitationId ?? '') ?? null),
    )
    return ok(pageOf(items, found?.total ?? 0, query))
  }
}

export function listInvitations({
  ledger,
  clock,
}: AccessDeps): MembershipUseCases['listInvitations'] {
  return async (actor, query) => {
    const member = authorizeMember(actor, 'readMembers')
    if (!member.ok) return member
    const paging = checkPage(query)
    if (!paging.ok) return paging
    const { tenantId } = member.value
    const [found] = await ledger.read(tenantId, [
      list(invitations, {
        where: [['tenantId', '=', tenantId]],
        newest: true,
        skip: (query.page - 1) * query.pageSize,
        take: query.pageSize,
        count: true,
      }),
    ])
    const now = clock.now()
    const items = many(invitations, found).map(({ row }) => invitationView(row, now))
    return ok(pageOf(items, found?.total ?? 0, query))
  }
}
