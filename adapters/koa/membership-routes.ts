import {
  deactivateMember,
  invite,
  listInvitations,
  listMembers,
  reactivateMember,
  resendInvitation,
  setRole,
  withdrawInvitation,
} from '@countersign/core/operations'
import { http } from './bind/http.ts'
import { smallBody } from './media.ts'
import type { Route } from './operation.ts'

const members = '/v1/customer/members'
const invitations = '/v1/customer/invitations'
const small = { limit: smallBody }

/** Members of the organization, and invitations to it. */
export const membershipRoutes: readonly Route[] = [
  http(listMembers, 'GET', members),
  http(setRole, 'PUT', `${members}/:memberId/role`, small),
  http(deactivateMember, 'POST', `${members}/:memberId/deactivate`, small),
  http(reactivateMember, 'POST', `${members}/:memberId/reactivate`, small),
  http(listInvitations, 'GET', invitations),
  http(invite, 'POST', invitations, small),
  http(resendInvitation, 'POST', `${invitations}/:invitationId/resend`, small),
  http(withdrawInvitation, 'DELETE', `${invitations}/:invitationId`),
]
