import type { ChangeSet } from '../../base/ports/store.ts'
import { actorName, type MemberActor } from '../../kernel/callers/actor.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import type { AccessDeps } from '../access/deps.ts'
import type { Member } from '../access/records.ts'
import { end } from './end-invitation.ts'
import { invitationStatus } from './invitation.ts'
import { auditInvitation } from './invitation-audit.ts'
import { pendingInvitations } from './load.ts'
import { isAdmin } from './roster.ts'

/**
 * What a change of a member does to what they asked for: all pending invitations and open key requests are withdrawn
 * with the change that ends their being an active admin. Nothing, for an admin who stays one.
 *
 * The tenant's row of admins, which both write, makes it conflict with an invitation that is being made.
 */
export async function withdrawnWith(
  { endsWithAdmin }: Pick<AccessDeps, 'endsWithAdmin'>,
  unit: UnitOfWork,
  by: MemberActor,
  before: Member,
  after: Member,
): Promise<Required<Pick<ChangeSet, 'puts' | 'removes' | 'appends'>>> {
  if (!isAdmin(before) || isAdmin(after)) return { puts: [], removes: [], appends: [] }
  const { tenantId, memberId } = after
  const inviter = actorName({ ...by, memberId })
  const made = (await pendingInvitations(unit, tenantId)).filter(
    ({ invitation: { row } }) =>
      row.invitedBy === inviter && invitationStatus(row, unit.now) === 'pending',
  )
  const ended = made.map((one) => end(one, 'withdrawn', unit.now))
  const others = await endsWithAdmin?.(unit, by, memberId)
  return {
    puts: [...ended.flatMap(({ puts }) => puts), ...(others?.puts ?? [])],
    removes: ended.flatMap(({ removes }) => removes),
    appends: [
      ...ended.map(({ invitation }) => auditInvitation(by, 'withdrawn', invitation, unit.now)),
      ...(others?.appends ?? []),
    ],
  }
}
