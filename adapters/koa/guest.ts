import type { Service } from '@countersign/core'
import { addressKey, type LoginCaller } from '@countersign/core/access'
import type { Context } from 'koa'
import { callerSignal } from './caller-signal.ts'
import { deviceCookie, signInCookie } from './session.ts'

/** A caller without a session, as the throttle of logins tells them apart. */
export function loginCaller(ctx: Context): LoginCaller {
  return { address: ctx.ip, device: deviceCookie.read(ctx), signal: callerSignal(ctx) }
}

/** What an operation asks the host of its caller, by the names of its input. */
export function saidOfCaller(ctx: Context, names: readonly string[]): object {
  const said = { ...loginCaller(ctx), browserToken: signInCookie.read(ctx) }
  return Object.fromEntries(Object.entries(said).filter(([name]) => names.includes(name)))
}

/**
 * What a caller without a session is counted as: whom their device has logged in before, so that more devices of one
 * member count as one, else their address.
 */
export async function guestKey(service: Service, ctx: Context): Promise<string> {
  const { address, device = null } = loginCaller(ctx)
  const known = await service.access.knownDevice(device)
  return known === null ? `address ${addressKey(address)}` : `device of ${known}`
}
