import type { Found, Read, Versioned } from '../../base/ports/store.ts'
import { most } from '../../kernel/ledger/limits.ts'
import { readPart } from '../../kernel/ledger/read-part.ts'
import { get, one } from '../../kernel/ledger/reads.ts'
import { rowsBy, type Source } from '../../kernel/list.ts'
import { operationsWith } from '../../kernel/operation.ts'
import { oneOf } from '../../kernel/shape.ts'
import { optional } from '../../kernel/wrap.ts'
import type { AccessDeps } from '../access/deps.ts'
import { type Member, type MemberStatus, memberStatuses, members } from '../access/records.ts'
import {
  invitationShape,
  invitationView,
  type MemberRecordView,
  memberRecordShape,
  memberRecordView,
} from './present.ts'
import { invitations } from './records.ts'

const { list } = operationsWith<Pick<AccessDeps, 'clock'>>()

/** Members, pending ones included, the oldest first. */
export const listMembers = list({
  name: 'members.list',
  doc: 'List members, pending ones included, the oldest first',
  right: 'readMembers',
  filter: { status: optional(oneOf(memberStatuses)) },
  items: 'members',
  item: memberRecordShape,
  refuses: [],
  source: ({ by: { tenantId } }, { status }) => membersOf(tenantId, status),
})

/** Invitations, the newest first; those that ended are listed for 30 days. */
export const listInvitations = list({
  name: 'invitations.list',
  doc: 'List invitations, newest first',
  right: 'readMembers',
  filter: {},
  items: 'invitations',
  item: invitationShape,
  refuses: [],
  source({ by: { tenantId }, tools: { clock } }) {
    const now = clock.now()
    return rowsBy(invitations, {
      by: 'key',
      where: { tenantId },
      cursor: 'invitationId',
      newest: true,
      show: (row) => invitationView(row, now),
    })
  },
})

function membersOf(tenantId: string, status: MemberStatus | undefined): Source<MemberRecordView> {
  return {
    part: (query, read) =>
      readPart(
        {
          collection: members,
          by: status === undefined ? 'key' : 'byStatus',
          where: [
            ['tenantId', '=', tenantId],
            ...(status === undefined ? [] : [['status', '=', status] as const]),
          ],
          newest: false,
          cursor: 'memberId',
          piece: most.pageSize + 1,
          tell: (rows) => withInvitations(rows, read),
        },
        query,
        read,
      ),
  }
}

async function withInvitations(
  found: readonly Versioned<Member>[],
  read: (reads: readonly Read[]) => Promise<readonly Found[]>,
): Promise<readonly MemberRecordView[]> {
  const waiting = found.flatMap(({ row: { tenantId, status, invitationId } }) =>
    status === 'Pending invitation' && invitationId !== undefined
      ? [[tenantId, invitationId] as const]
      : [],
  )
  const invited = await read(waiting.map((key) => get(invitations, key)))
  const byId = new Map(waiting.map(([, id], at) => [id, one(invitations, invited[at])?.row]))
  return found.map(({ row }) => memberRecordView(row, byId.get(row.invitationId ?? '') ?? null))
}
