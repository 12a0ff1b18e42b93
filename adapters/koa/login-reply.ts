import type { LoginView } from '@countersign/core/access'
import type { Context } from 'koa'
import type { Reply } from './media.ts'
import type { HostResult } from './refusal.ts'
import { deviceCookie, sessionCookie } from './session.ts'

/** The answer that issues a session, with its cookies. */
export function replyLogin(
  ctx: Context,
  result: HostResult<LoginView>,
): HostResult<Reply<Omit<LoginView, 'device'> & { readonly cookieName: string }>> {
  if (!result.ok) return result
  const { token, device, ...session } = result.value
  sessionCookie.set(ctx, token)
  deviceCookie.set(ctx, device)
  return { ok: true, value: { body: { token, cookieName: sessionCookie.name, ...session } } }
}
