import type { Service } from '@countersign/core'
import { authorize, rights } from '@countersign/core/access'
import { ok } from '@countersign/core/ledger'
import type { Context } from 'koa'
import type { Caller } from './authenticate.ts'
import { checkSameSite } from './csrf.ts'
import type { Route } from './operation.ts'
import { type HostResult, refuse } from './refusal.ts'

/** How a request is served: in the sandbox a member becomes a guest of its tenant. */
export interface Mode {
  readonly sandbox: boolean
  readonly actor: Caller | null
}

/** The mode of a request. Refuses one from another site, and one that would change the sandbox. */
export function modeOf(
  row: Pick<Route, 'host' | 'method' | 'path' | 'right'>,
  sandboxTenantId: string | null,
  ctx: Context,
  caller: Caller | null,
): HostResult<Mode> {
  const sameSite = row.host === 'portal' ? checkSameSite(ctx) : ok(null)
  if (!sameSite.ok) return sameSite
  const asked = asksForSandbox(ctx)
  if (asked && row.host !== 'portal')
    return refuse('sandbox_read_only', 'the sandbox is shown by the portal host alone')
  const sandbox = asked && !isOwnInAnyMode(row)
  if (sandbox && changes(row))
    return refuse('sandbox_read_only', 'the sandbox can be read, not changed')
  if (!sandbox || sandboxTenantId === null || caller?.kind !== 'member')
    return ok({ sandbox, actor: caller })
  return ok({ sandbox, actor: { ...caller, tenantId: sandboxTenantId, guest: true } })
}

/** Whether the caller may: the plan is asked for first, then the right, then whether there is a sandbox to show. */
export async function permit(
  row: Pick<Route, 'right' | 'feature'>,
  { sandbox, actor }: Mode,
  sandboxTenantId: string | null,
  service: Service,
): Promise<HostResult<null>> {
  if (actor === null) return ok(null)
  const included = row.feature ? await service.access.checkFeature(actor, row.feature) : ok(null)
  if (!included.ok) return included
  const allowed = row.right ? authorize(actor, row.right) : ok(actor)
  if (!allowed.ok) return allowed
  if (sandbox && sandboxTenantId === null)
    return refuse('not_found', 'this deployment has no sandbox')
  return ok(null)
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
