import type { Versioned } from '../base/ports/store.ts'
import type { MemberActor } from '../kernel/callers/actor.ts'
import { type RefusalCode, refuse } from '../kernel/ledger/refusal.ts'
import { orNotFound, peek, type Query, rowUnder } from '../kernel/query.ts'
import type { Unit } from '../kernel/unit.ts'
import { type IssuerKeyRing, issuerKeyRings } from '../keys/records.ts'
import type { Times } from './machine/command.ts'
import { type Routing, routings, type Webhook, webhooks } from './records.ts'
import { broughtBack, offTime, onTime } from './routing/event-time.ts'
import type { WebhookTools } from './tools.ts'

/** A unit of work on webhooks. */
export type Change = Unit<MemberActor, RefusalCode, WebhookTools>

/** The rows that a change of a webhook depends on, from one snapshot. */
export interface WebhookRows {
  /** Null: the webhook is new. */
  readonly webhook: Versioned<Webhook> | null
  readonly routing: Versioned<Routing> | null
  readonly times: Times
}

/** The webhook of an id; `not_found` for an unknown one and for another tenant's. */
export function existing(webhookId: string): Query<Versioned<Webhook>, 'not_found'> {
  return orNotFound(webhooks.get(webhookId), 'webhook')
}

export function notFound(): ReturnType<typeof refuse> {
  return refuse('not_found', 'no such webhook')
}

/** The keys that sign for a tenant. */
export function ringShown(tenantId: string): Query<Versioned<IssuerKeyRing> | null> {
  return peek(rowUnder(issuerKeyRings, [tenantId]), 'the answer alone shows its keys')
}

/** Reads a webhook with the rows that its change depends on. */
export async function load(
  unit: Change,
  webhookId: string,
): Promise<WebhookRows & { readonly webhook: Versioned<Webhook> }> {
  const { tenantId } = unit.by
  const { webhook, routing } = await unit.ask({
    webhook: existing(webhookId),
    routing: rowUnder(routings, [tenantId]),
    ring: ringShown(tenantId),
  })
  return { webhook, routing, times: timesOf(routing, unit.now) }
}

export function timesOf(routing: Versioned<Routing> | null, now: number): Times {
  const floor = routing && broughtBack(routing.row, now).floor
  return { now, off: offTime(routing, now), on: onTime(routing, now), floor }
}
