import { authorize, rights } from '@countersign/core/access'
import { ok } from '@countersign/core/ledger'
import type { Context } from 'koa'
import type { Caller } from './authenticate.ts'
import { checkSameSite } from './csrf.ts'
import type { Route } from './operation.ts'
import { type HostResult, refuse } from './refusal.ts'

/** Whether the caller may, and as whom: in the sandbox a member becomes a guest of its tenant. */
export function permit(
  row: Pick<Route, 'host' | 'method' | 'path' | 'right'>,
  sandboxTenantId: string | null,
  ctx: Context,
  actor: Caller | null,
): HostResult<Caller | null> {
  const sameSite = row.host === 'portal' ? checkSameSite(ctx) : ok(null)
  if (!sameSite.ok) return sameSite
  const asked = asksForSandbox(ctx)
  if (asked && row.host !== 'portal')
    return refuse('sandbox_read_only', 'the sandbox is shown by the portal host alone')
  const sandbox = asked && !isOwnInAnyMode(row)
  if (sandbox && changes(row))
    return refuse('sandbox_read_only', 'the sandbox can be read, not changed')
  const allowed = row.right && actor ? authorize(actor, row.right) : ok(actor)
  if (!allowed.ok) return allowed
  if (!sandbox || actor?.kind !== 'member') return ok(actor)
  if (sandboxTenantId === null) return refuse('not_found', 'this deployment has no sandbox')
  return ok({ ...actor, tenantId: sandboxTenantId, guest: true })
}

/** Whether the operation changes anything; exports are asked for by POST and do not. */
export function changes({ method, right }: Pick<Route, 'method' | 'right'>): boolean {
  return method !== 'GET' && !(right && rights[right].reads)
}

const ownInAnyMode: ReadonlySet<string> = new Set([
  '/v1/auth/login',
  '/v1/auth/logout',
  '/v1/auth/session',
])

/** Login, logout and the session: the member's own in any mode. */
export function isOwnInAnyMode({ path }: Pick<Route, 'path'>): boolean {
  return ownInAnyMode.has(path)
}

const header = 'x-service-sandbox'

function asksForSandbox(ctx: Context): boolean {
  return ctx.get(header).trim().toLowerCase() === 'true'
}

/** Any value but `true` is a mistake: its caller might take their own data for the sandbox's. */
export function checkSandboxHeader(ctx: Context): HostResult<null> {
  return ctx.headers[header] === undefined || asksForSandbox(ctx)
    ? ok(null)
    : refuse('invalid_request', 'X-Service-Sandbox: expected true, or no such header')
}
