import { ringOf } from '../keys/issuer-keys.ts'
import { type IssuerKeyRing, issuerKeyRings } from '../keys/records.ts'
import { audit } from '../ledger/audit.ts'
import { isoTime } from '../ledger/iso-time.ts'
import type { UnitOfWork } from '../ledger/ledger.ts'
import { get, one, put } from '../ledger/reads.ts'
import { ok, type Result, refuse } from '../ledger/refusal.ts'
import type { Intake, Parts } from '../outbox/kind.ts'
import { replay } from '../outbox/machine.ts'
import { deliveries } from '../outbox/records.ts'
import type { Put, Versioned } from '../ports/store.ts'
import { admitsFor } from './admits.ts'
import type { Decided, Times } from './command.ts'
import { eventTime, offTime, onTime } from './event-time.ts'
import { routingOf } from './fan-out.ts'
import { oweNotices } from './notices.ts'
import { type Routing, routings, type Webhook, webhooks } from './records.ts'
import { rerouted } from './routing.ts'
import { upkeepPut } from './upkeep.ts'

/** What a change of a webhook depends on, from one snapshot. */
export interface Seen {
  /** Null: the webhook is new. */
  readonly webhook: Versioned<Webhook> | null
  readonly routing: Versioned<Routing> | null
  readonly times: Times
}

export interface Loaded extends Seen {
  readonly webhook: Versioned<Webhook>
  readonly ring: Versioned<IssuerKeyRing> | null
}

/** `not_found` for an unknown id and for another tenant's. */
export async function loadWebhook(
  unit: UnitOfWork,
  tenantId: string,
  webhookId: string,
): Promise<Result<Loaded>> {
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
  const floor = routing?.row.floor ?? null
  return { now, off: offTime(routing, now), on: onTime(routing, now), floor }
}

/** The puts of a decided change: the record, the routing row where fan-out must know, and what is owed for it. */
export async function changePuts(
  unit: UnitOfWork,
  intake: Intake,
  seen: Seen,
  decided: Decided,
): Promise<readonly Put[]> {
  const { routing, times } = seen
  const { webhook: after, notices, again } = decided
  const before = seen.webhook?.row ?? null
  if (after === before) return []
  const route = rerouted(routing, { before, after }, times)
  const upkeep = before && (await upkeepPut(unit, before, after))
  return [
    put(webhooks, after, seen.webhook),
    ...(route ? [route] : []),
    ...(upkeep ? [upkeep] : []),
    ...oweNotices(unit, intake, after, notices, eventTime(routing, unit.now)),
    ...(await oweAgain(unit, after, again)),
  ]
}

/** A notice that was ended unsent goes out again under its own id; one that is under way, or done, is left alone. */
async function oweAgain(
  unit: UnitOfWork,
  webhook: Webhook,
  messageIds: readonly string[],
): Promise<readonly Put[]> {
  if (messageIds.length === 0) return []
  const found = await unit.read(messageIds.map((id) => get(deliveries, [webhook.webhookId, id])))
  return found.flatMap((answer) => {
    const was = one(deliveries, answer)
    const next =
      was &&
      was.row.status !== 'delivered' &&
      replay(was, { now: unit.now, admits: admitsFor(webhook), generation: webhook.generation })
    return next ? [put(deliveries, next, was)] : []
  })
}

export function auditOf(
  webhook: Webhook,
  act: {
    readonly actor: string
    readonly action: string
    readonly detail?: Readonly<Record<string, string | number | boolean | null>>
  },
  now: number,
): Required<Pick<Parts, 'appends'>> {
  const { actor, action, detail = {} } = act
  const subject = webhook.webhookId
  return {
    appends: [audit(webhook.tenantId, { at: isoTime(now), actor, action, subject, detail })],
  }
}
