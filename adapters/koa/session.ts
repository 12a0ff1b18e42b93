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

const deviceName = 'service_customer_device'

/** Tells a device that has logged in before from strangers; sent to the routes of login alone. */
export const deviceCookie = {
  name: deviceName,
  read(ctx: Context): string | null {
    return ctx.cookies.get(deviceName, { signed: false }) ?? null
  },
  set(ctx: Context, device: { readonly token: string; readonly seconds: number }): void {
    const value = `${deviceName}=${device.token}; ${attributes(ctx, '/v1/auth')}`
    ctx.append('Set-Cookie', `${value}; Max-Age=${device.seconds}`)
  },
}

const signInName = 'service_customer_sign_in'
const signInSeconds = 300

/** Binds a sign-in by passkey to the browser that began it. Where cookies may be secure, no other host can set it. */
export const signInCookie = {
  read(ctx: Context): string | null {
    return ctx.cookies.get(signInNameOf(ctx), { signed: false }) ?? null
  },
  set(ctx: Context, token: string): void {
    const value = `${signInNameOf(ctx)}=${token}; ${attributes(ctx)}`
    ctx.append('Set-Cookie', `${value}; Max-Age=${signInSeconds}`)
  },
  clear(ctx: Context): void {
    ctx.append('Set-Cookie', `${signInNameOf(ctx)}=; ${attributes(ctx)}; Max-Age=0`)
  },
}

function signInNameOf(ctx: Context): string {
  return ctx.state.insecureCookies ? signInName : `__Host-${signInName}`
}

function attributes(ctx: Context, path = '/'): string {
  const secure = ctx.state.insecureCookies ? '' : '; Secure'
  return `HttpOnly${secure}; SameSite=Lax; Path=${path}`
}
