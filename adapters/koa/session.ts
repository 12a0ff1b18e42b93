import type { Context } from 'koa'

const name = 'service_customer_token'
const dayInSeconds = 86_400

/** The portal's cookie (interface, Authentication). */
export const sessionCookie = {
  name,
  read(ctx: Context): string | null {
    return ctx.cookies.get(name, { signed: false }) ?? null
  },
  set(ctx: Context, token: string): void {
    ctx.append('Set-Cookie', `${name}=${token}; ${attributes(ctx)}; Max-Age=${dayInSeconds}`)
  },
  clear(ctx: Context): void {
    ctx.append('Set-Cookie', `${name}=; ${attributes(ctx)}; Max-Age=0`)
  },
}

function attributes(ctx: Context): string {
  const secure = ctx.state.insecureCookies ? '' : '; Secure'
  return `HttpOnly${secure}; SameSite=Lax; Path=/`
}
