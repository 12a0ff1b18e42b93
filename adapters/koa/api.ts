import { Readable } from 'node:stream'
import type Router from '@koa/router'
import type { Middleware } from 'koa'
import { accessRoutes } from './access-routes.ts'
import { alertRoutes } from './alert-routes.ts'
import { isTagged, tagOf } from './answer-tag.ts'
import { applicationRoutes } from './application-routes.ts'
import { authenticatorRoutes } from './authenticator-routes.ts'
import { caseRoutes } from './case-routes.ts'
import { channelRoutes } from './channel-routes.ts'
import { descriptionRoutes } from './description-routes.ts'
import { sendRefusal } from './errors.ts'
import { evidenceRoutes } from './evidence-routes.ts'
import { ingestRoutes } from './ingest-routes.ts'
import { keyRequestRoutes } from './key-request-routes.ts'
import { keyRoutes } from './key-routes.ts'
import { markRoutes } from './mark-routes.ts'
import { membershipRoutes } from './membership-routes.ts'
import type { Host, Route, RouteContext } from './operation.ts'
import type { ApiOptions } from './options.ts'
import { organizationRoutes } from './organization-routes.ts'
import { portalRoutes } from './portal-routes.ts'
import { privacyRoutes } from './privacy-routes.ts'
import { sessionRoutes } from './session-routes.ts'
import { signalRoutes } from './signal-routes.ts'
import { SortedRouter } from './sorted-router.ts'
import { staffKeyRoutes } from './staff-key-routes.ts'
import { staffRoutes } from './staff-routes.ts'
import { webhookRoutes } from './webhook-routes.ts'

/** Every route of the three hosts: one table for routers and tests. */
export const routes: readonly Route[] = [
  ...accessRoutes,
  ...applicationRoutes,
  ...keyRoutes,
  ...membershipRoutes,
  ...authenticatorRoutes,
  ...organizationRoutes,
  ...keyRequestRoutes,
  ...caseRoutes,
  ...portalRoutes,
  ...ingestRoutes,
  ...webhookRoutes,
  ...sessionRoutes,
  ...signalRoutes,
  ...alertRoutes,
  ...channelRoutes,
  ...evidenceRoutes,
  ...markRoutes,
  ...privacyRoutes,
  ...staffRoutes,
  ...staffKeyRoutes,
  ...descriptionRoutes,
]

/** The ingest API, for applications with their keys. */
export function ingestRouter(options: ApiOptions): Router {
  return routerFor('ingest', options)
}

/** The portal API, for people with a session. */
export function portalRouter(options: ApiOptions): Router {
  return routerFor('portal', options)
}

/** The staff API, for staff with their tokens; serve it to a network of your own. */
export function staffRouter(options: ApiOptions): Router {
  return routerFor('staff', options)
}

function routerFor(host: Host, options: ApiOptions): Router {
  // One spelling of each path, as of each id.
  const router = new SortedRouter({ sensitive: true, strict: true })
  for (const row of routes.filter((row) => row.host === host)) {
    const method = row.method.toLowerCase() as 'get' | 'post' | 'put' | 'delete'
    for (const path of [row.path, ...(row.aliases ?? [])]) router[method](path, serve(row, options))
  }
  return router
}

/** Serves one row; the router's context has its parameters. */
export function serve(row: Route, options: ApiOptions): Middleware {
  return async (ctx) => {
    ctx.state.insecureCookies = options.insecureCookies ?? false
    ctx.state.errorForm = row.errors
    const result = await row.serve(options, ctx as RouteContext)
    if (!result.ok) return sendRefusal(ctx, result.refusal)
    ctx.type = row.answer.types[0] ?? ''
    ctx.set(result.value.headers ?? {})
    ctx.status = row.answer.status ?? 200
    const body = bodyOf(result.value.body, isTagged(row))
    ctx.body = body
    const isOwn = result.value.headers && 'ETag' in result.value.headers
    if (isTagged(row) && !isOwn && Buffer.isBuffer(body)) ctx.set('ETag', tagOf(body))
    // RFC 9110 13.1.2: the caller has what is answered.
    if (ctx.fresh) ctx.status = 304
  }
}

/** What Koa sends: it writes the bytes of a Buffer alone, and takes any other object for JSON. */
function bodyOf(body: unknown, isTagged: boolean): unknown {
  if (body instanceof Uint8Array) return Buffer.from(body.buffer, body.byteOffset, body.length)
  return isTagged && !(body instanceof Readable) ? Buffer.from(JSON.stringify(body)) : body
}
