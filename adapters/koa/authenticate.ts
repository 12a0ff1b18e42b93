import type { Actor, Service } from '@countersign/core'
import { ok, type Result, refuse } from '@countersign/core/ledger'
import type { Context } from 'koa'
import type { Route } from './route.ts'
import { sessionCookie } from './session.ts'

/** Who asks, by the scheme of the route (interface, Authentication). */
export async function authenticate(
  row: Route,
  service: Service,
  ctx: Context,
): Promise<Result<Actor | null>> {
  switch (row.auth) {
    case 'none':
      return ok(null)
    case 'member': {
      const token = sessionCookie.read(ctx)
      if (!token) {
        return refuse('authentication_required', `expected the cookie ${sessionCookie.name}`)
      }
      return service.access.authenticateMember(token)
    }
    case 'application': {
      const key = applicationKey(ctx)
      const authenticated = key
        ? await service.access.authenticateApplication(key)
        : refuse(
            'authentication_required',
            'expected an application key in X-API-Key or Authorization: Bearer',
          )
      // RFC 9110 15.5.2: a 401 names a scheme.
      if (!authenticated.ok) ctx.set('WWW-Authenticate', 'Bearer')
      return authenticated
    }
  }
}

function applicationKey(ctx: Context): string | null {
  const header = ctx.get('x-api-key')
  if (header) return header
  return /^Bearer +(\S+)$/i.exec(ctx.get('authorization'))?.[1] ?? null
}
