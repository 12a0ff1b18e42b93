import type { MemberActor } from '../../kernel/callers/actor.ts'
import type { Unit } from '../../kernel/unit.ts'
import type { Invitation } from './records.ts'

/** Records what an admin did to an invitation. */
export function auditInvitation(
  unit: Unit<MemberActor, never>,
  action: 'created' | 'resent' | 'withdrawn',
  { invitationId, memberId, role, granted }: Invitation,
): void {
  const permissions = granted.join(', ')
  unit.audit(`invitation.${action}`, invitationId, { memberId, role, permissions })
}
