import type { Actor } from '@countersign/core'
import { authorize } from '@countersign/core/access'
import { ok, type Result, refuse } from '@countersign/core/ledger'
import type { Context } from 'koa'
import { checkSameSite } from './csrf.ts'
import type { Route } from './route.ts'

/** Whether the caller may, and as whom: in the sandbox a member becomes a guest of its tenant. */
export function permit(
  row: Route,
  sandboxTenantId: string | null,
  ctx: Context,
  actor: Actor | null,
): Result<Actor | null> {
  const sameSite = row.host === 'portal' ? checkSameSite(ctx) : ok(null)
  if (!sameSite.ok) return sameSite
  // Login and logout, whose host is the member's own in any mode.
  const sandbox = asksForSandbox(ctx) && !row.path.startsWith('/v1/auth/')
  if (sandbox && row.method !== 'GET')
    return refuse('sandbox_read_only', 'the sandbox can be read, not changed')
  const allowed = row.right && actor ? authorize(actor, row.right) : ok(actor)
  if (!allowed.ok || !sandbox || actor?.kind !== 'member') return allowed
  if (sandboxTenantId === null) return refuse('not_found', 'this deployment has no sandbox')
  return ok({ ...actor, tenantId: sandboxTenantId, guest: true })
}

/** Whoever sends the header means to change nothing: only a plain `false` says otherwise. */
function asksForSandbox(ctx: Context): boolean {
  const header = ctx.get('x-service-sandbox').trim().toLowerCase()
  return header !== '' && header !== 'false'
}
