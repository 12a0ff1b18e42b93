import { most } from '../../ledger/limits.ts'
import { checkListQuery, type ListSource } from '../../ledger/listing.ts'
import { readPart } from '../../ledger/read-part.ts'
import { get, one } from '../../ledger/reads.ts'
import { ok } from '../../ledger/refusal.ts'
import type { Read } from '../../ports/store.ts'
import { authorizeMember } from '../authorize.ts'
import type { AccessDeps } from '../deps.ts'
import { type Member, members } from '../records.ts'
import { invitationView, memberRecordView } from './present.ts'
import { type Invitation, invitations } from './records.ts'
import type { MembershipUseCases } from './use-cases.ts'
import type { InvitationView, MemberRecordView } from './view.ts'

/** Rows that one read brings: of any part all. */
const piece = most.pageSize + 1

export function listMembers({ ledger }: AccessDeps): MembershipUseCases['listMembers'] {
  return async (actor, query) => {
    const member = authorizeMember(actor, 'readMembers')
    if (!member.ok) return member
    const asked = checkListQuery(query)
    if (!asked.ok) return asked
    const { tenantId } = member.value
    const { status } = query
    const read = (reads: readonly Read[]) => ledger.read(tenantId, reads)
    const source: ListSource<Member, MemberRecordView> = {
      collection: members,
      by: status === undefined ? 'key' : 'byStatus',
      where: [
        ['tenantId', '=', tenantId],
        ...(status === undefined ? [] : [['status', '=', status] as const]),
      ],
      newest: false,
      cursor: 'memberId',
      piece,
      tell: async (found) => {
        const rows = found.map(({ row }) => row)
        const waiting = rows.flatMap(({ status: is, invitationId }) =>
          is === 'Pending invitation' && invitationId !== undefined ? [invitationId] : [],
        )
        const invited = await read(waiting.map((id) => get(invitations, [tenantId, id])))
        const byId = new Map(waiting.map((id, at) => [id, one(invitations, invited[at])?.row]))
        return rows.map((row) => memberRecordView(row, byId.get(row.invitationId ?? '') ?? null))
      },
    }
    return ok(await readPart(source, query, read))
  }
}

export function listInvitations({
  ledger,
  clock,
}: AccessDeps): MembershipUseCases['listInvitations'] {
  return async (actor, query) => {
    const member = authorizeMember(actor, 'readMembers')
    if (!member.ok) return member
    const asked = checkListQuery(query)
    if (!asked.ok) return asked
    const { tenantId } = member.value
    const now = clock.now()
    const source: ListSource<Invitation, InvitationView> = {
      collection: invitations,
      by: 'key',
      where: [['tenantId', '=', tenantId]],
      newest: true,
      cursor: 'invitationId',
      piece,
      tell: (rows) => rows.map(({ row }) => invitationView(row, now)),
    }
    return ok(await readPart(source, query, (reads) => ledger.read(tenantId, reads)))
  }
}
