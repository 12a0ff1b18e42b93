import { ringOf } from '../keys/issuer-keys.ts'
import { type IssuerKeyRing, issuerKeyRings } from '../keys/records.ts'
import type { UnitOfWork } from '../ledger/ledger.ts'
import { get, one } from '../ledger/reads.ts'
import { ok, type Result, refuse } from '../ledger/refusal.ts'
import type { Versioned } from '../ports/store.ts'
import type { Times } from './machine/command.ts'
import { type Routing, routings, type Webhook, webhooks } from './records.ts'
import { broughtBack, offTime, onTime } from './routing/event-time.ts'
import { routingOf } from './routing/fan-out.ts'

/** The rows that a change of a webhook depends on, from one snapshot. */
export interface WebhookRows {
  /** Null: the webhook is new. */
  readonly webhook: Versioned<Webhook> | null
  readonly routing: Versioned<Routing> | null
  readonly times: Times
}

/** A webhook that exists, with the rows that its change depends on. */
export interface LoadedWebhook extends WebhookRows {
  readonly webhook: Versioned<Webhook>
  readonly ring: Versioned<IssuerKeyRing> | null
}

/** `not_found` for an unknown id and for another tenant's. */
export async function loadWebhook(
  unit: UnitOfWork,
  tenantId: string,
  webhookId: string,
): Promise<Result<LoadedWebhook>> {
  const [found, routed, keys] = await unit.read([
    get(webhooks, [webhookId]),
    routingOf(tenantId),
    ringOf(tenantId),
  ])
  const webhook = one(webhooks, found)
  if (!webhook) return notFound()
  const routing = one(routings, routed)
  const times = timesOf(routing, unit.now)
  return ok({ webhook, routing, ring: one(issuerKeyRings, keys), times })
}

export function notFound(): ReturnType<typeof refuse> {
  return refuse('not_found', 'no such webhook')
}

export function timesOf(routing: Versioned<Routing> | null, now: number): Times {
  const floor = routing && broughtBack(routing.row, now).floor
  return { now, off: offTime(routing, now), on: onTime(routing, now), floor }
}
