import type { Service } from '@countersign/core'
import { ok } from '@countersign/core/ledger'
import type { Clock, Observer } from '@countersign/core/ports'
import Router from '@koa/router'
import type { Middleware } from 'koa'
import { accessRoutes } from './access-routes.ts'
import { authenticate } from './authenticate.ts'
import { awaitTurn } from './bound-answers.ts'
import { caseRoutes } from './case-routes.ts'
import { sendRefusal } from './errors.ts'
import { guestKey, loginCaller } from './guest.ts'
import { parseCall } from './parse-call.ts'
import { permit } from './permit.ts'
import { limitPortalRate, limitRate, type PortalRateLimit, type RateLimit } from './rate-limit.ts'
import { type HostResult, refuse } from './refusal.ts'
import type { Host, Reply, Route, RouteContext } from './route.ts'
import { webhookRoutes } from './webhook-routes.ts'

/** Every route of both hosts: one table for routers and tests. */
export const routes: readonly Route[] = [...accessRoutes, ...caseRoutes, ...webhookRoutes]

/** What a router of either host needs: the service, and the settings of the HTTP layer. */
export interface ApiOptions {
  readonly service: Service
  readonly clock: Clock
  readonly observer: Observer
  /** Of each application key on the ingest host. */
  readonly rateLimit: RateLimit
  /** Of each member, and of each address without a session, on the portal host. */
  readonly portalRateLimit: PortalRateLimit
  /** The read-only tenant that `X-Service-Sandbox: true` shows; null where there is none. */
  readonly sandboxTenantId: string | null
  /** Only for a portal on loopback without TLS. */
  readonly insecureCookies?: boolean
}

/** The ingest API, for applications with their keys. */
export function ingestRouter(options: ApiOptions): Router {
  return routerFor('ingest', options)
}

/** The portal API, for people with a session. */
export function portalRouter(options: ApiOptions): Router {
  return routerFor('portal', options)
}

function routerFor(host: Host, options: ApiOptions): Router {
  // One spelling of each path, as of each id.
  const router = new Router({ sensitive: true, strict: true })
  for (const row of routes.filter((row) => row.host === host)) {
    const method = row.method.toLowerCase() as 'get' | 'post' | 'put' | 'delete'
    router[method](row.path, serve(row, options))
  }
  return router
}

function serve(row: Route, options: ApiOptions): Middleware {
  return async (ctx) => {
    ctx.state.insecureCookies = options.insecureCookies ?? false
    const result = await answer(row, options, ctx as RouteContext)
    if (!result.ok) return sendRefusal(ctx, result.refusal)
    ctx.set(result.value.headers ?? {})
    ctx.status = 200
    ctx.body = result.value.body
  }
}

/** The order of checks (interface, Errors): 401, 503, 403, 410, 429, 406, 415 or 413, 400, then the use case's own. */
async function answer(
  row: Route,
  options: ApiOptions,
  ctx: RouteContext,
): Promise<HostResult<Reply>> {
  const { service, rateLimit, portalRateLimit, clock } = options
  const authenticated = await authenticate(row, service, ctx)
  if (!authenticated.ok) return authenticated
  const caller = authenticated.value
  // Counted and told in the headers whatever becomes of the request; refused in its turn.
  const within =
    caller?.kind === 'application'
      ? limitRate(ctx, rateLimit, clock, caller.keyId)
      : await limitPortalRate(ctx, portalRateLimit, clock, caller, () => guestKey(service, ctx))
  const permitted = permit(row, options.sandboxTenantId, ctx, caller)
  if (!permitted.ok) return permitted
  const actor = permitted.value
  const active =
    actor?.kind === 'application' ? await service.applications.checkActive(actor) : ok(null)
  if (!active.ok) return active
  if (!within.ok) return within
  const admitted = row.throttled ? await service.access.admitLogin(loginCaller(ctx)) : ok(null)
  if (!admitted.ok) return admitted
  if (!ctx.accepts('application/json'))
    return refuse('not_acceptable', 'this route answers application/json')
  const tenantId = caller && caller.kind !== 'system' ? caller.tenantId : null
  // What nobody asked for by name is small.
  const turn = tenantId === null ? ok(null) : await awaitTurn(ctx, tenantId)
  if (!turn.ok) return turn
  const call = await parseCall(row, service, ctx, actor)
  if (!call.ok && row.throttled) await service.access.rejectLogin(loginCaller(ctx))
  return call.ok ? row.handle(call.value) : call
}
