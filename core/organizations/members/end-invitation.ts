import type { ChangeSet, Put } from '../../base/ports/store.ts'
import { put } from '../../kernel/ledger/reads.ts'
import { members } from '../access/records.ts'
import { ended } from './invitation.ts'
import type { LoadedInvitation } from './load.ts'
import { type Invitation, invitations } from './records.ts'

/** Ends an invitation that nobody accepted: its pending member goes with it. */
export function end(
  { invitation, member }: LoadedInvitation,
  status: 'expired' | 'withdrawn',
  now: number,
): {
  readonly invitation: Invitation
  readonly puts: readonly Put[]
  readonly removes: NonNullable<ChangeSet['removes']>
} {
  const after = ended(invitation.row, status, now)
  const { tenantId, memberId } = after
  return {
    invitation: after,
    puts: [put(invitations, after, invitation)],
    removes: member
      ? [{ in: members.name, key: [tenantId, memberId], version: member.version }]
      : [],
  }
}
