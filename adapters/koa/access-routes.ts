import type { SessionView } from '@countersign/core'
import { defined } from './defined.ts'
import { loginCaller } from './guest.ts'
import { type Route, reply, route, smallBody } from './route.ts'
import * as schemas from './schemas.ts'
import { deviceCookie, sessionCookie } from './session.ts'
import { pageOfWhole } from './whole-list.ts'

const member = { host: 'portal', auth: 'member', query: schemas.noQuery } as const
const application = '/v1/applications/:applicationId'

/** Login, applications, their keys and outcome callbacks. */
export const accessRoutes: readonly Route[] = [
  route({
    host: 'portal',
    auth: 'none',
    query: schemas.noQuery,
    method: 'POST',
    path: '/v1/auth/login',
    body: schemas.login,
    bodyLimit: smallBody,
    throttled: true,
    handle: async ({ service, body, ctx }) => {
      const result = await service.access.login({ ...body, ...loginCaller(ctx) })
      if (!result.ok) return result
      const { token, device, ...session } = result.value
      sessionCookie.set(ctx, token)
      deviceCookie.set(ctx, device)
      return { ok: true, value: { body: { token, cookieName: sessionCookie.name, ...session } } }
    },
  }),
  route({
    ...member,
    method: 'POST',
    path: '/v1/auth/logout',
    body: schemas.logout,
    bodyLimit: smallBody,
    handle: async ({ service, actor, body, ctx }) => {
      const result = await service.access.logout(actor, defined(body))
      if (result.ok) sessionCookie.clear(ctx)
      return reply(result, () => ({ loggedOut: true }))
    },
  }),
  route({
    ...member,
    method: 'GET',
    path: '/v1/auth/session',
    handle: async ({ service, actor }) =>
      reply(await service.access.session(actor), (session: SessionView) => session),
  }),
  route({
    ...member,
    right: 'readApplications',
    method: 'GET',
    path: '/v1/applications',
    query: schemas.pageQuery,
    handle: async ({ service, actor, query }) =>
      reply(await service.applications.list(actor, query), ({ items, ...paging }) => ({
        applications: items,
        ...paging,
      })),
  }),
  route({
    ...member,
    right: 'createApplications',
    method: 'POST',
    path: '/v1/applications',
    body: schemas.createApplication,
    handle: async ({ service, actor, body }) =>
      reply(await service.applications.create(actor, body)),
  }),
  route({
    ...member,
    right: 'readApplications',
    method: 'GET',
    path: application,
    handle: async ({ service, actor, param }) =>
      reply(await service.applications.read(actor, param('applicationId'))),
  }),
  route({
    ...member,
    right: 'setOutcomeCallback',
    method: 'PUT',
    path: `${application}/outcome-callback`,
    body: schemas.outcomeCallback,
    handle: async ({ service, actor, param, body }) =>
      reply(
        await service.applications.setOutcomeCallback(actor, param('applicationId'), defined(body)),
      ),
  }),
  route({
    ...member,
    right: 'readApplicationKeys',
    method: 'GET',
    path: `${application}/application-keys`,
    query: schemas.optionalPageQuery,
    handle: async ({ service, actor, param, query }) =>
      reply(await service.access.listApplicationKeys(actor, param('applicationId')), (all) => {
        const { items, ...paging } = pageOfWhole(all, query)
        return { applicationKeys: items, ...paging }
      }),
  }),
  route({
    ...member,
    right: 'manageApplicationKeys',
    method: 'POST',
    path: `${application}/application-keys`,
    body: schemas.createApplicationKey,
    handle: async ({ service, actor, param, body }) =>
      reply(await service.access.createApplicationKey(actor, param('applicationId'), body)),
  }),
  route({
    ...member,
    right: 'manageApplicationKeys',
    method: 'DELETE',
    path: `${application}/application-keys/:keyId`,
    handle: async ({ service, actor, param }) =>
      reply(
        await service.access.revokeApplicationKey(actor, param('applicationId'), param('keyId')),
      ),
  }),
]
