import { anyone, member } from './callers.ts'
import { loginAnswer } from './description/answers.ts'
import * as answers from './description/organization-answers.ts'
import { loginCaller } from './guest.ts'
import { replyLogin } from './login-reply.ts'
import { json, jsonBody, smallBody } from './media.ts'
import type { Route } from './operation.ts'
import * as schemas from './organization-schemas.ts'
import { reply, replyAs, route } from './route.ts'

/** Change and reset of members' passwords. Their throttles are not that of logins. */
export const passwordRoutes: readonly Route[] = [
  route({
    ...member,
    name: 'auth.changePassword',
    summary: 'Change the own password, and end all other sign-ins',
    method: 'POST',
    path: '/v1/auth/password',
    body: jsonBody(schemas.changePassword, smallBody),
    answer: json(loginAnswer, 'Set-Cookie'),
    refuses: ['invalid_credentials', 'too_many_attempts'],
    handle: async ({ service, actor, body, ctx }) =>
      replyLogin(ctx, await service.access.changePassword(actor, { ...body, ...loginCaller(ctx) })),
  }),
  route({
    ...anyone,
    name: 'auth.requestPasswordReset',
    summary: 'Ask for a mail with the link of a reset; the answer is always the same',
    method: 'POST',
    path: '/v1/auth/password/reset',
    body: jsonBody(schemas.requestPasswordReset, smallBody),
    answer: { ...json(answers.resetRequestedAnswer), status: 202 },
    refuses: [],
    handle: async ({ service, body, ctx }) =>
      replyAs(await service.access.requestPasswordReset({ ...body, ...loginCaller(ctx) }), () => ({
        requested: true as const,
      })),
  }),
  route({
    ...anyone,
    name: 'auth.acceptPasswordReset',
    summary: 'Choose a password by the token of a reset, and end all sign-ins',
    method: 'POST',
    path: '/v1/auth/password/reset/accept',
    body: jsonBody(schemas.acceptPasswordReset, smallBody),
    answer: json(answers.acceptedAnswer),
    refuses: ['not_found', 'account_suspended', 'too_many_attempts'],
    handle: async ({ service, body, ctx }) =>
      reply(await service.access.acceptPasswordReset({ ...body, ...loginCaller(ctx) })),
  }),
]
