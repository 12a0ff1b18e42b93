import type { Service } from '@countersign/core'
import { tenantOf } from '@countersign/core/access'
import { ok } from '@countersign/core/ledger'
import type * as z from 'zod'
import { type Actors, type Caller, type Scheme, schemes } from './authenticate.ts'
import { awaitTurn } from './bound-answers.ts'
import { guestKey, loginCaller } from './guest.ts'
import type { AnswerOf, Reply } from './media.ts'
import type { Operation, RouteContext } from './operation.ts'
import type { ApiOptions } from './options.ts'
import { parseCall } from './parse-call.ts'
import { permit } from './permit.ts'
import { limitPortalRate, limitRate } from './rate-limit.ts'
import { type HostResult, refuse } from './refusal.ts'
import { dropRest } from './unread-body.ts'

/** The order of checks (interface, Errors): 401, 503, 403, 410, 429, 406, 415 or 413, 400, then the use case's own. */
export async function answerCall<
  Auth extends keyof Actors,
  Path extends string,
  Query,
  Body,
  Schema extends z.ZodType,
>(
  row: Operation<Auth, Path, Query, Body, Schema>,
  options: ApiOptions,
  ctx: RouteContext,
): Promise<HostResult<Reply<AnswerOf<Schema>>>> {
  const { rateLimit, portalRateLimit, sandboxTenantId, clock } = options
  const scheme: Scheme<Actors[Auth]> = schemes[row.auth]
  const authenticated = await scheme.authenticate(options, ctx)
  if (!authenticated.ok) return authenticated
  const caller = authenticated.value
  const key = caller?.kind === 'application' || caller?.kind === 'customerKey' ? caller : null
  // Counted and told in the headers whatever becomes of the request; refused in its turn.
  const within = key
    ? limitRate(ctx, rateLimit, clock, key)
    : await limitPortalRate(ctx, portalRateLimit, clock, caller, () =>
        guestKey(options.service, ctx),
      )
  const permitted = permit(row, sandboxTenantId, ctx, caller)
  if (!permitted.ok) return permitted
  const actor = permitted.value
  if (!scheme.accepts(actor))
    return refuse('forbidden', 'this route is for callers of another kind')
  const service = await serviceFor(actor, options, ctx)
  const included =
    row.feature && caller && actor
      ? await service.organization.checkFeature(actor, row.feature)
      : ok(null)
  if (!included.ok) return included
  const active = key ? await service.applications.checkActive(key) : ok(null)
  if (!active.ok) return active
  if (!within.ok) return within
  const admitted = row.throttled ? await service.access.admitLogin(loginCaller(ctx)) : ok(null)
  if (!admitted.ok) return admitted
  const { types } = row.answer
  if (!ctx.accepts(...types))
    return refuse('not_acceptable', `this route answers ${types.join(' or ')}`)
  // What nobody asked for by name is small.
  const turn = caller === null ? ok(null) : await awaitTurn(ctx, tenantOf(caller))
  if (!turn.ok) return turn
  const call = await parseCall(row, service, ctx, actor)
  if (!call.ok && call.refusal.code === 'body_too_large' && key) dropRest(ctx)
  if (!call.ok && row.throttled) await service.access.rejectLogin(loginCaller(ctx))
  return call.ok ? row.handle(call.value) : call
}

/** Guests look at the sandbox, and anyone at its public keys; it may be a service of its own. */
async function serviceFor(
  actor: Caller | null,
  { service, sandboxService, sandboxTenantId }: ApiOptions,
  { params }: RouteContext,
): Promise<Service> {
  if (!sandboxService) return service
  const isShown =
    actor === null
      ? params.tenantId === sandboxTenantId
      : actor.kind === 'member' && actor.guest === true
  return isShown ? sandboxService() : service
}
