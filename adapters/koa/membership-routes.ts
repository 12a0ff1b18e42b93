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
import { anyone } from './callers.ts'
import { acceptedAnswer } from './description/organization-answers.ts'
import { loginCaller } from './guest.ts'
import { json, jsonBody, smallBody } from './media.ts'
import type { Route } from './operation.ts'
import { acceptInvitation } from './organization-schemas.ts'
import { reply, route } from './route.ts'

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
  route({
    ...anyone,
    name: 'auth.acceptInvitation',
    summary: 'Become a member by an invitation, without a session',
    method: 'POST',
    path: '/v1/auth/accept-invitation',
    throttled: true,
    body: jsonBody(acceptInvitation, smallBody),
    answer: json(acceptedAnswer),
    refuses: ['not_found', 'invitation_expired', 'email_taken', 'account_suspended'],
    handle: async ({ service, body, ctx }) =>
      reply(await service.access.acceptInvitation({ ...body, ...loginCaller(ctx) })),
  }),
]
