import type { ApplicationView, TombstoneView } from '@countersign/core'
import {
  createApplicationKey,
  listApplicationKeys,
  revokeApplicationKey,
} from '@countersign/core/operations'
import type * as z from 'zod'
import { http } from './bind/http.ts'
import { anyone, member } from './callers.ts'
import { defined } from './defined.ts'
import * as answers from './description/answers.ts'
import { formatApplicationTag } from './etag.ts'
import { loginCaller } from './guest.ts'
import { replyLogin } from './login-reply.ts'
import { json, jsonBody, type Reply, smallBody } from './media.ts'
import type { Route } from './operation.ts'
import { atVersionOrAny } from './preconditions.ts'
import type { HostResult } from './refusal.ts'
import { reply, replyAs, route } from './route.ts'
import * as schemas from './schemas.ts'
import { sessionCookie } from './session.ts'

const application = '/v1/applications/:applicationId'

function replyApplication<V extends ApplicationView | TombstoneView>(
  result: HostResult<V>,
): HostResult<Reply<V>> {
  if (!result.ok) return result
  const headers = { ETag: formatApplicationTag(result.value) }
  return { ok: true, value: { body: result.value, headers } }
}

function settingsOf(given: z.output<typeof schemas.updateApplication>['settings']) {
  return given === undefined ? {} : { settings: given && defined(given) }
}

/** Login, applications, their keys and outcome callbacks. */
export const accessRoutes: readonly Route[] = [
  route({
    ...anyone,
    name: 'auth.login',
    summary: 'Log a member in',
    method: 'POST',
    path: '/v1/auth/login',
    throttled: true,
    body: jsonBody(schemas.login, smallBody),
    answer: json(answers.loginAnswer, 'Set-Cookie'),
    refuses: ['invalid_credentials', 'account_suspended'],
    handle: async ({ service, body, ctx }) =>
      replyLogin(ctx, await service.access.login({ ...body, ...loginCaller(ctx) })),
  }),
  route({
    ...member,
    name: 'auth.logout',
    summary: 'End the session, or all sessions of the member',
    method: 'POST',
    path: '/v1/auth/logout',
    body: jsonBody(schemas.logout, smallBody),
    answer: json(answers.logoutAnswer, 'Set-Cookie'),
    refuses: [],
    handle: async ({ service, actor, body, ctx }) => {
      const result = await service.access.logout(actor, defined(body))
      if (result.ok) sessionCookie.clear(ctx)
      return replyAs(result, () => ({ loggedOut: true as const }))
    },
  }),
  route({
    ...member,
    name: 'auth.session',
    summary: 'Read the member behind the session',
    method: 'GET',
    path: '/v1/auth/session',
    answer: json(answers.memberSessionAnswer),
    refuses: [],
    handle: async ({ service, actor }) => reply(await service.access.session(actor)),
  }),
  route({
    ...member,
    right: 'readApplications',
    name: 'applications.list',
    summary: 'List applications',
    method: 'GET',
    path: '/v1/applications',
    query: schemas.applicationListQuery,
    answer: json(answers.applicationsAnswer),
    refuses: [],
    handle: async ({ service, actor, query }) =>
      replyAs(await service.applications.list(actor, defined(query)), ({ items, ...paging }) => ({
        applications: items,
        ...paging,
      })),
  }),
  route({
    ...member,
    right: 'createApplications',
    name: 'applications.create',
    summary: 'Create an application',
    method: 'POST',
    path: '/v1/applications',
    body: jsonBody(schemas.createApplication),
    answer: json(answers.applicationAnswer, 'ETag'),
    refuses: ['application_limit', 'invalid_transition'],
    handle: async ({ service, actor, body: { settings, ...members } }) =>
      replyApplication(
        await service.applications.create(actor, { ...defined(members), ...settingsOf(settings) }),
      ),
  }),
  route({
    ...member,
    right: 'readApplications',
    name: 'applications.read',
    summary: 'Read an application, or what stays of it',
    method: 'GET',
    path: application,
    answer: json(answers.anyApplicationAnswer, 'ETag'),
    refuses: [],
    handle: async ({ service, actor, param }) =>
      replyApplication(await service.applications.read(actor, param('applicationId'))),
  }),
  route({
    ...member,
    right: 'updateApplications',
    name: 'applications.update',
    summary: 'Change name, description and thresholds of an application',
    method: 'PUT',
    path: application,
    body: jsonBody(schemas.updateApplication),
    answer: json(answers.applicationAnswer, 'ETag'),
    refuses: ['application_gone', 'version_conflict'],
    handle: async (call) => {
      const { service, actor, param, body } = call
      const { version: _, settings, ...members } = body
      return replyApplication(
        await atVersionOrAny(call, (seen) =>
          service.applications.update(actor, param('applicationId'), {
            ...defined(members),
            ...settingsOf(settings),
            ...seen,
          }),
        ),
      )
    },
  }),
  route({
    ...member,
    right: 'updateApplications',
    name: 'applications.promote',
    summary: 'Raise the stage of an application',
    method: 'POST',
    path: `${application}/promote`,
    body: jsonBody(schemas.promoteApplication),
    answer: json(answers.applicationAnswer, 'ETag'),
    refuses: ['application_gone', 'invalid_transition'],
    handle: async ({ service, actor, param, body }) =>
      replyApplication(await service.applications.promote(actor, param('applicationId'), body)),
  }),
  route({
    ...member,
    right: 'deleteApplications',
    name: 'applications.requestDeletion',
    summary: 'Mark an application for deletion and start its grace period',
    method: 'DELETE',
    path: `${application}/purge`,
    answer: json(answers.applicationAnswer, 'ETag'),
    refuses: ['blocked_by_hold', 'purge_started'],
    handle: async ({ service, actor, param }) =>
      replyApplication(await service.applications.requestDeletion(actor, param('applicationId'))),
  }),
  route({
    ...member,
    right: 'deleteApplications',
    name: 'applications.cancelDeletion',
    summary: 'Take back a deletion whose purge has not begun',
    method: 'POST',
    path: `${application}/purge/cancel`,
    body: jsonBody(schemas.noBody, smallBody),
    answer: json(answers.applicationAnswer, 'ETag'),
    refuses: ['not_pending', 'purge_started', 'invalid_transition'],
    handle: async ({ service, actor, param }) =>
      replyApplication(await service.applications.cancelDeletion(actor, param('applicationId'))),
  }),
  route({
    ...member,
    right: 'setOutcomeCallback',
    name: 'applications.setOutcomeCallback',
    summary: 'Set where outcomes are sent',
    method: 'PUT',
    path: `${application}/outcome-callback`,
    body: jsonBody(schemas.outcomeCallback),
    answer: json(answers.outcomeCallbackAnswer),
    refuses: ['invalid_url', 'refused_address', 'application_gone'],
    handle: async ({ service, actor, param, body }) =>
      reply(
        await service.applications.setOutcomeCallback(actor, param('applicationId'), defined(body)),
      ),
  }),
  route({
    ...member,
    right: 'setOutcomeCallback',
    name: 'applications.removeOutcomeCallback',
    summary: 'Remove where outcomes are sent, and give up what is still owed',
    method: 'DELETE',
    path: `${application}/outcome-callback`,
    answer: json(answers.applicationAnswer, 'ETag'),
    refuses: ['application_gone', 'callback_not_configured'],
    handle: async ({ service, actor, param }) =>
      replyApplication(
        await service.applications.removeOutcomeCallback(actor, param('applicationId')),
      ),
  }),
  route({
    ...member,
    right: 'setOutcomeCallback',
    name: 'applications.rotateCallbackSecret',
    summary: 'Rotate the secret of the outcome callback and show it once',
    method: 'POST',
    path: `${application}/outcome-callback/rotate-secret`,
    body: jsonBody(schemas.rotateCallbackSecret),
    answer: json(answers.outcomeCallbackAnswer),
    refuses: [
      'application_gone',
      'callback_not_configured',
      'not_shared_secret',
      'already_rotating',
    ],
    handle: async ({ service, actor, param, body }) =>
      reply(
        await service.applications.rotateCallbackSecret(
          actor,
          param('applicationId'),
          defined(body),
        ),
      ),
  }),
  http(listApplicationKeys, 'GET', `${application}/application-keys`),
  http(createApplicationKey, 'POST', `${application}/application-keys`),
  http(revokeApplicationKey, 'DELETE', `${application}/application-keys/:keyId`),
]
