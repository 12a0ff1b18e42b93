import { actorName, type MemberActor } from '../../kernel/callers/actor.ts'
import type { Unit } from '../../kernel/unit.ts'
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
export async function withdrawWith(
  unit: Unit<MemberActor, never, Pick<AccessDeps, 'endsWithAdmin'>>,
  before: Member,
  after: Member,
): Promise<void> {
  if (!isAdmin(before) || isAdmin(after)) return
  const { by, tools } = unit
  const { tenantId, memberId } = after
  const inviter = actorName({ ...by, memberId })
  const made = (await pendingInvitations(unit, tenantId)).filter(
    ({ invitation: { row } }) =>
      row.invitedBy === inviter && invitationStatus(row, unit.now) === 'pending',
  )
  for (const each of made) auditInvitation(unit, 'withdrawn', end(unit, each, 'withdrawn'))
  unit.include((await tools.endsWithAdmin?.(unit, by, memberId)) ?? {})
}
