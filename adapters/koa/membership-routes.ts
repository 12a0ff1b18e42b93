import { anyone, member } from './callers.ts'
import { defined } from './defined.ts'
import * as answers from './description/organization-answers.ts'
import { loginCaller } from './guest.ts'
import { partAs } from './list-stream.ts'
import { json, jsonBody, smallBody } from './media.ts'
import type { Route } from './operation.ts'
import * as schemas from './organization-schemas.ts'
import { reply, replyAs, route } from './route.ts'
import { listQuery, noBody } from './schemas.ts'
import { partOf } from './whole-list.ts'

const reader = { ...member, right: 'readMembers' } as const
const manager = { ...member, right: 'manageMembers' } as const
const members = '/v1/customer/members'
const invitations = '/v1/customer/invitations'

/** Members of the organization, and invitations to it. */
export const membershipRoutes: readonly Route[] = [
  route({
    ...reader,
    name: 'members.list',
    summary: 'List members, pending ones included, the oldest first',
    method: 'GET',
    path: members,
    query: schemas.membersQuery,
    answer: json(answers.membersAnswer),
    refuses: [],
    handle: async ({ service, actor, query: { status, ...asked } }) =>
      replyAs(
        await service.access.listMembers(actor, { ...partOf(asked), ...defined({ status }) }),
        partAs('members'),
      ),
  }),
  route({
    ...manager,
    name: 'members.setRole',
    summary: 'Set role and permissions of a member, and end their sessions',
    method: 'PUT',
    path: `${members}/:memberId/role` as const,
    body: jsonBody(schemas.setRole, smallBody),
    answer: json(answers.memberRecordAnswer),
    refuses: ['last_admin'],
    handle: async ({ service, actor, param, body }) =>
      reply(await service.access.setRole(actor, param('memberId'), body)),
  }),
  route({
    ...manager,
    name: 'members.deactivate',
    summary: 'Suspend a member and end their sessions at once',
    method: 'POST',
    path: `${members}/:memberId/deactivate` as const,
    body: jsonBody(schemas.deactivateMember, smallBody),
    answer: json(answers.memberRecordAnswer),
    refuses: ['last_admin', 'invalid_transition'],
    handle: async ({ service, actor, param, body }) =>
      reply(await service.access.deactivateMember(actor, param('memberId'), body)),
  }),
  route({
    ...manager,
    name: 'members.reactivate',
    summary: 'Let a suspended member log in again',
    method: 'POST',
    path: `${members}/:memberId/reactivate` as const,
    body: jsonBody(noBody, smallBody),
    answer: json(answers.memberRecordAnswer),
    refuses: ['invalid_transition'],
    handle: async ({ service, actor, param }) =>
      reply(await service.access.reactivateMember(actor, param('memberId'))),
  }),
  route({
    ...reader,
    name: 'invitations.list',
    summary: 'List invitations, newest first',
    method: 'GET',
    path: invitations,
    query: listQuery,
    answer: json(answers.invitationsAnswer),
    refuses: [],
    handle: async ({ service, actor, query }) =>
      replyAs(await service.access.listInvitations(actor, partOf(query)), partAs('invitations')),
  }),
  route({
    ...manager,
    name: 'invitations.create',
    summary: 'Invite an address for 72 hours',
    method: 'POST',
    path: invitations,
    body: jsonBody(schemas.invite, smallBody),
    answer: json(answers.invitationAnswer),
    refuses: ['already_member', 'already_invited', 'invitation_limit'],
    handle: async ({ service, actor, body }) =>
      reply(await service.access.invite(actor, defined(body))),
  }),
  route({
    ...manager,
    name: 'invitations.resend',
    summary: 'Send a new token in place of the last',
    method: 'POST',
    path: `${invitations}/:invitationId/resend` as const,
    body: jsonBody(noBody, smallBody),
    answer: json(answers.invitationAnswer),
    refuses: ['invalid_transition'],
    handle: async ({ service, actor, param }) =>
      reply(await service.access.resendInvitation(actor, param('invitationId'))),
  }),
  route({
    ...manager,
    name: 'invitations.withdraw',
    summary: 'Withdraw a pending invitation',
    method: 'DELETE',
    path: `${invitations}/:invitationId` as const,
    answer: json(answers.invitationAnswer),
    refuses: ['invalid_transition'],
    handle: async ({ service, actor, param }) =>
      reply(await service.access.withdrawInvitation(actor, param('invitationId'))),
  }),
  route({
    ...anyone,
    name: 'auth.acceptInvitation',
    summary: 'Become a member by an invitation, without a session',
    method: 'POST',
    path: '/v1/auth/accept-invitation',
    throttled: true,
    body: jsonBody(schemas.acceptInvitation, smallBody),
    answer: json(answers.acceptedAnswer),
    refuses: ['not_found', 'invitation_expired', 'email_taken', 'account_suspended'],
    handle: async ({ service, body, ctx }) =>
      reply(await service.access.acceptInvitation({ ...body, ...loginCaller(ctx) })),
  }),
]
