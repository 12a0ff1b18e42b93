import type {
  ApplicationActor,
  CustomerKeyActor,
  MemberActor,
  Service,
  StaffActor,
} from '@countersign/core'
import { ok } from '@countersign/core/ledger'
import type { Context } from 'koa'
import { bearerOf } from './bearer.ts'
import type { ApiOptions } from './options.ts'
import { type HostResult, refuse } from './refusal.ts'
import { sessionCookie } from './session.ts'
import { authenticateStaff } from './staff-tokens.ts'

/** Who a handler acts for, by the scheme of its route. */
export interface Actors {
  readonly none: null
  readonly member: MemberActor
  readonly application: ApplicationActor
  readonly customerKey: CustomerKeyActor
  readonly staff: StaffActor
}

/** Whoever may call; nobody is the system from outside. */
export type Caller = MemberActor | ApplicationActor | CustomerKeyActor | StaffActor

/** How a caller of one kind is known (interface, Authentication). */
export interface Scheme<A> {
  /** A caller of another kind is authenticated too, and refused by the route's right. */
  authenticate(options: ApiOptions, ctx: Context): Promise<HostResult<Caller | null>>
  accepts(actor: Caller | null): actor is A & (Caller | null)
}

export const schemes: { readonly [Auth in keyof Actors]: Scheme<Actors[Auth]> } = {
  none: { authenticate: async () => ok(null), accepts: (actor) => actor === null },
  member: {
    authenticate: async ({ service }, ctx) => {
      const token = sessionCookie.read(ctx)
      return token
        ? service.access.authenticateMember(token)
        : refuse('authentication_required', `expected the cookie ${sessionCookie.name}`)
    },
    accepts: (actor) => actor?.kind === 'member',
  },
  application: {
    authenticate: ({ service }, ctx) => authenticateKey(service, ctx, 'an application key'),
    accepts: (actor) => actor?.kind === 'application',
  },
  customerKey: {
    authenticate: ({ service }, ctx) =>
      authenticateKey(service, ctx, 'the last segment of a customer key'),
    accepts: (actor) => actor?.kind === 'customerKey',
  },
  staff: {
    authenticate: async (options, ctx) => authenticateStaff(options, ctx),
    accepts: (actor) => actor?.kind === 'staff',
  },
}

/** Keys of both kinds: an application's, or the secret of a customer key, whose component may stand beside it. */
async function authenticateKey(
  service: Service,
  ctx: Context,
  expected: string,
): Promise<HostResult<Caller>> {
  const key = keyOf(ctx)
  const authenticated = await (key === null
    ? refuse(
        'authentication_required',
        `expected ${expected} in X-API-Key or Authorization: Bearer`,
      )
    : key.startsWith('svc_app_')
      ? service.access.authenticateApplication(key)
      : service.access.authenticateCustomerKey(key, ctx.get('x-key-component') || null))
  // RFC 9110 15.5.2: a 401 names a scheme.
  if (!authenticated.ok && authenticated.refusal.code === 'authentication_required')
    ctx.set('WWW-Authenticate', 'Bearer')
  return authenticated
}

function keyOf(ctx: Context): string | null {
  return ctx.get('x-api-key') || bearerOf(ctx)
}
