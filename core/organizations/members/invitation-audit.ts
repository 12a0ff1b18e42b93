import { actorName, type MemberActor } from '../../kernel/callers/actor.ts'
import { audit } from '../../kernel/ledger/audit.ts'
import { isoTime } from '../../kernel/ledger/iso-time.ts'
import type { Invitation } from './records.ts'

/** The audit entry of what an admin did to an invitation. */
export function auditInvitation(
  by: MemberActor,
  action: 'created' | 'resent' | 'withdrawn',
  { invitationId, memberId, role, granted }: Invitation,
  now: number,
): ReturnType<typeof audit> {
  return audit(by.tenantId, {
    at: isoTime(now),
    actor: actorName(by),
    action: `invitation.${action}`,
    subject: invitationId,
    detail: { memberId, role, permissions: granted.join(', ') },
  })
}
