import type { Unit } from '../../kernel/unit.ts'
import { members } from '../access/records.ts'
import { ended } from './invitation.ts'
import type { LoadedInvitation } from './load.ts'
import { type Invitation, invitations } from './records.ts'

/** Ends an invitation that nobody accepted: its pending member goes with it. */
export function end(
  unit: Pick<Unit<null, never>, 'now' | 'put' | 'remove'>,
  { invitation, member }: LoadedInvitation,
  status: 'expired' | 'withdrawn',
): Invitation {
  const after = ended(invitation.row, status, unit.now)
  unit.put(invitations, after, invitation)
  if (member) unit.remove(members, member)
  return after
}
