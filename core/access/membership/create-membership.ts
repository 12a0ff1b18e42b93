import type { AccessDeps } from '../deps.ts'
import type { Tries } from '../tries.ts'
import { acceptInvitation } from './accept-invitation.ts'
import { deactivateMember, reactivateMember, setRole } from './change-member.ts'
import { invite, resendInvitation, withdrawInvitation } from './invite.ts'
import { listInvitations, listMembers } from './list-members.ts'
import type { MembershipUseCases } from './use-cases.ts'

/** The use cases of members and invitations. */
export function createMembership(deps: AccessDeps, tries: Tries): MembershipUseCases {
  return {
    listMembers: listMembers(deps),
    setRole: setRole(deps),
    deactivateMember: deactivateMember(deps),
    reactivateMember: reactivateMember(deps),
    listInvitations: listInvitations(deps),
    invite: invite(deps),
    resendInvitation: resendInvitation(deps),
    withdrawInvitation: withdrawInvitation(deps),
    acceptInvitation: acceptInvitation(deps, tries),
  }
}
