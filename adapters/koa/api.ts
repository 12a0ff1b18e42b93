import type { Actor, Service } from '@countersign/core'
import { authorize } from '@countersign/core/access'
import { ok, type Result, refuse } from '@countersign/core/ledger'
import type { Clock, Observer } from '@countersign/core/ports'
import Router from '@koa/router'
import type { Context, Middleware } from 'koa'
import { accessRoutes } from './access-routes.ts'
import { authenticate } from './authenticate.ts'
import { caseRoutes } from './case-routes.ts'
import { checkSameSite } from './csrf.ts'
import { refuseIssues, sendRefusal } from './errors.ts'
import { parseIfMatch } from './etag.ts'
import { readJson } from './json-body.ts'
import { limitRate, type RateLimit } from './rate-limit.ts'
import type { Call, Host, Reply, Route } from './route.ts'
import { webhookRoutes } from './webhook-routes.ts'

/** Every route of both hosts: one table for routers and tests. */
export const routes: readonly Route[] = [...accessRoutes, ...caseRoutes, ...webhookRoutes]

export interface ApiOptions {
  readonly service: Service
  readonly clock: Clock
  readonly observer: Observer
  readonly rateLimit: RateLimit
  /** The read-only tenant that `X-Service-Sandbox: true` shows (decisions 15); null where there is none. */
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
  const router = new Router()
  for (const row of routes.filter((row) => row.host === host)) {
    const method = row.method.toLowerCase() as 'get' | 'post' | 'put' | 'delete'
    router[method](row.path, serve(row, options))
  }
  return router
}

function serve(row: Route, options: ApiOptions): Middleware {
  return async (ctx) => {
    ctx.state.insecureCookies = options.insecureCookies ?? false
    const result = await answer(row, options, ctx as Context & { params: Record<string, string> })
    if (!result.ok) return sendRefusal(ctx, result.refusal)
    ctx.set(result.value.headers ?? { 'Cache-Control': 'no-store' })
    ctx.status = 200
    ctx.body = result.value.body
  }
}

/** The order of checks is the contract's: 401, 503, 403, 410, 429, 415 or 413, 400, then the use case's own. */
async function answer(
  row: Route,
  options: ApiOptions,
  ctx: Context & { params: Record<string, string> },
): Promise<Result<Reply>> {
  const authenticated = await authenticate(row, options.service, ctx)
  if (!authenticated.ok) return authenticated
  const permitted = permit(row, options, ctx, authenticated.value)
  if (!permitted.ok) return permitted
  const actor = permitted.value
  if (actor?.kind === 'application') {
    const within = limitRate(ctx, options.rateLimit, options.clock, actor.keyId)
    if (!within.ok) return within
  }
  if (!ctx.accepts('application/json')) {
    return refuse('not_acceptable', 'this route answers application/json')
  }
  const call = await parse(row, options.service, ctx, actor)
  return call.ok ? row.handle(call.value) : call
}

function permit(
  row: Route,
  options: ApiOptions,
  ctx: Context,
  actor: Actor | null,
): Result<Actor | null> {
  const sameSite = row.host === 'portal' ? checkSameSite(ctx) : ok(null)
  if (!sameSite.ok) return sameSite
  const sandbox = ctx.get('x-service-sandbox') === 'true' && !row.path.startsWith('/v1/auth/')
  if (sandbox && row.method !== 'GET') {
    return refuse('sandbox_read_only', 'the sandbox can be read, not changed')
  }
  const allowed = row.right && actor ? authorize(actor, row.right) : ok(actor)
  if (!allowed.ok) return allowed
  if (sandbox && actor?.kind === 'member' && options.sandboxTenantId) {
    return ok({ ...actor, tenantId: options.sandboxTenantId })
  }
  return ok(actor)
}

async function parse(
  row: Route,
  service: Service,
  ctx: Context & { params: Record<string, string> },
  actor: Actor | null,
): Promise<Result<Call<Actor | null, unknown, unknown>>> {
  const json = row.body ? await readJson(ctx) : ok(null)
  if (!json.ok) return json
  // A parameter given twice is an array, which no schema takes.
  const query = row.query.safeParse({ ...ctx.query })
  if (!query.success) return refuseIssues(query.error.issues, 'query')
  const body = row.body ? row.body.safeParse(json.value) : { success: true as const, data: null }
  if (!body.success) return refuseIssues(body.error.issues, 'body')
  const ifMatch = parseIfMatch(ctx.get('if-match'))
  if (!ifMatch.ok) return ifMatch
  return ok({
    service,
    actor,
    ctx,
    param: (name) => ctx.params[name] ?? '',
    body: body.data,
    query: query.data,
    ifMatch: ifMatch.value,
  })
}
