import type { Service } from '@countersign/core'
import { tenantOf } from '@countersign/core/access'
import { ok } from '@countersign/core/ledger'
import { type Actors, type Caller, type Scheme, schemes } from './authenticate.ts'
import { awaitTurn } from './bound-answers.ts'
import { guestKey, loginCaller } from './guest.ts'
import { canBeId } from './id-form.ts'
import type { Reply } from './media.ts'
import type { Operation, Route, RouteContext } from './operation.ts'
import type { ApiOptions } from './options.ts'
import { parseCall, unknown } from './parse-call.ts'
import { modeOf, permit } from './permit.ts'
import { limitPortalRate, limitRate } from './rate-limit.ts'
import { type HostResult, type Refused, refuse } from './refusal.ts'
import { statusOf } from './status.ts'
import { dropRest } from './unread-body.ts'

/**
 * The order of checks (interface, Errors): 401, 503, 403, 404, 410, 429, 406, 415 or 413, 400, then the use case's own.
 * What the path names is looked up where something else is refused: an answer that is granted costs no second read.
 */
export async function answerCall<
  Auth extends keyof Actors,
  Path extends string,
  Query,
  Body,
  Answer,
>(
  row: Operation<Auth, Path, Query, Body, Answer>,
  options: ApiOptions,
  ctx: RouteContext,
): Promise<HostResult<Reply<Answer>>> {
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
  const mode = modeOf(row, sandboxTenantId, ctx, caller)
  if (!mode.ok) return mode
  const { actor } = mode.value
  const service = await serviceFor(actor, options, ctx)
  const permitted = await permit(row, mode.value, sandboxTenantId, service)
  if (!permitted.ok) return permitted
  if (!scheme.accepts(actor))
    return refuse('forbidden', 'this route is for callers of another kind')
  const active = key ? await service.applications.checkActive(key) : ok(null)
  const early = active.ok ? within : active
  const answered = early.ok ? await answerPermitted(row, service, ctx, actor, caller) : early
  return answered.ok ? answered : await missingBefore(row, service, ctx, actor, answered)
}

/** What is asked of a caller who may: negotiation, the body, then the use case. */
async function answerPermitted<Auth extends keyof Actors, Path extends string, Query, Body, Answer>(
  row: Operation<Auth, Path, Query, Body, Answer>,
  service: Service,
  ctx: RouteContext,
  actor: Actors[Auth],
  caller: Caller | null,
): Promise<HostResult<Reply<Answer>>> {
  const admitted = row.throttled ? await service.access.admitLogin(loginCaller(ctx)) : ok(null)
  if (!admitted.ok) return admitted
  const { types } = row.answer
  if (!ctx.accepts(...types))
    return refuse('not_acceptable', `this route answers ${types.join(' or ')}`)
  // What nobody asked for by name is small.
  const turn = caller === null ? ok(null) : await awaitTurn(ctx, tenantOf(caller))
  if (!turn.ok) return turn
  const call = await parseCall(row, service, ctx, actor)
  if (!call.ok && call.refusal.code === 'body_too_large' && caller?.kind === 'customerKey')
    dropRest(ctx)
  if (!call.ok && row.throttled) await service.access.rejectLogin(loginCaller(ctx))
  return call.ok ? row.handle(call.value) : call
}

const earlier: readonly number[] = [401, 503, 403, 404, 500]

/** The refusal, or the one that comes before it: of what the path names, unknown or going. */
async function missingBefore(
  row: Pick<Route, 'refuses'>,
  service: Service,
  ctx: RouteContext,
  actor: Caller | null,
  refused: Refused,
): Promise<Refused> {
  const status = statusOf[refused.refusal.code]
  const named = Object.entries(ctx.params)
  if (actor === null || named.length === 0 || earlier.includes(status)) return refused
  if (!named.every(([name, id]) => canBeId(name, id))) return unknown
  const active = status !== 410 && row.refuses.includes('application_gone')
  const found = await service.access.checkNamed(actor, Object.fromEntries(named), { active })
  return found.ok ? refused : found
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
