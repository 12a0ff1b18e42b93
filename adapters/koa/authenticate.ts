import type { ApplicationActor, MemberActor, Service } from '@countersign/core'
import { ok } from '@countersign/core/ledger'
import type { Context } from 'koa'
import { type HostResult, refuse } from './refusal.ts'
import { sessionCookie } from './session.ts'

/** Who a handler acts for, by the scheme of its route. */
export interface Actors {
  readonly none: null
  readonly member: MemberActor
  readonly application: ApplicationActor
}

/** How a caller of one kind is known (interface, Authentication). */
export interface Scheme<A> {
  authenticate(service: Service, ctx: Context): Promise<HostResult<A>>
  /** The caller as a guest of the sandbox's tenant. */
  asGuest(actor: A, sandboxTenantId: string): A
}

export const schemes: { readonly [Auth in keyof Actors]: Scheme<Actors[Auth]> } = {
  none: { authenticate: async () => ok(null), asGuest: (nobody) => nobody },
  member: {
    authenticate: async (service, ctx) => {
      const token = sessionCookie.read(ctx)
      return token
        ? service.access.authenticateMember(token)
        : refuse('authentication_required', `expected the cookie ${sessionCookie.name}`)
    },
    asGuest: (member, tenantId) => ({ ...member, tenantId, guest: true }),
  },
  application: {
    authenticate: async (service, ctx) => {
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
    },
    asGuest: (application) => application,
  },
}

function applicationKey(ctx: Context): string | null {
  const header = ctx.get('x-api-key')
  if (header) return header
  return /^Bearer +(\S+)$/i.exec(ctx.get('authorization'))?.[1] ?? null
}
