import { anyone, member } from './callers.ts'
import { defined } from './defined.ts'
import * as answers from './description/answers.ts'
import { loginCaller } from './guest.ts'
import { replyLogin } from './login-reply.ts'
import { json, jsonBody, smallBody } from './media.ts'
import type { Route } from './operation.ts'
import { reply, replyAs, route } from './route.ts'
import * as schemas from './schemas.ts'
import { sessionCookie } from './session.ts'

/** Login and logout. */
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
]
