import { handler } from '../../kernel/work/handler.ts'
import { end } from './end-invitation.ts'
import { loadInvitation } from './load.ts'

/** The kind of the one work item that each invitation has; no other change of the invitation touches the item. */
export const invitationKind = 'invitation'

/** Ends invitations whose 72 hours have passed. For one that was sent again, runs again at its new expiry. */
export const invitationExpiry = handler({
  kind: invitationKind,
  async run(unit, { tenantId, ref }) {
    const loaded = await loadInvitation(unit, tenantId, ref)
    if (!loaded.ok) return null
    const { status, expiresAt, memberId } = loaded.value.invitation.row
    if (status !== 'pending') return null
    if (unit.now < expiresAt) return expiresAt
    end(unit, loaded.value, 'expired')
    unit.audit('invitation.expired', ref, { memberId })
    return null
  },
})
