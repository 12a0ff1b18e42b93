import { audit } from '../../kernel/ledger/audit.ts'
import { isoTime } from '../../kernel/ledger/iso-time.ts'
import type { WorkHandler } from '../../kernel/work/handler.ts'
import { end } from './end-invitation.ts'
import { loadInvitation } from './load.ts'

/** The kind of the one work item that each invitation has; no other change of the invitation touches the item. */
export const invitationKind = 'invitation'

/** Ends invitations whose 72 hours have passed. For one that was sent again, runs again at its new expiry. */
export const invitationExpiry: WorkHandler = {
  kind: invitationKind,
  async run({ tenantId, ref }, unit) {
    if (tenantId === null) return { next: null }
    const loaded = await loadInvitation(unit, tenantId, ref)
    if (!loaded.ok) return { next: null }
    const { status, expiresAt, memberId } = loaded.value.invitation.row
    if (status !== 'pending') return { next: null }
    if (unit.now < expiresAt) return { next: expiresAt }
    const { puts, removes } = end(loaded.value, 'expired', unit.now)
    const entry = audit(tenantId, {
      at: isoTime(unit.now),
      actor: 'system',
      action: 'invitation.expired',
      subject: ref,
      detail: { memberId },
    })
    return { set: { puts, removes, appends: [entry] }, next: null }
  },
}
