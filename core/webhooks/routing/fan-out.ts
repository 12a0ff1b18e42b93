import { type EventType, familyOf } from '../../base/events/catalogue.ts'
import type { Outgoing } from '../../base/events/outgoing.ts'
import type { Slices } from '../../base/json/in-slices.ts'
import type { Check, Put, Read, Versioned } from '../../base/ports/store.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { get, put } from '../../kernel/ledger/reads.ts'
import type { Intake, Parts } from '../../outbox/kind.ts'
import { type Owed, owe } from '../../outbox/owe.ts'
import { type Route, type Routing, routings } from '../records.ts'
import { broughtBack, eventTime, marked, slackMs } from './event-time.ts'

/** The read whose answer `fanOut` needs, from the same unit of work. */
export function routingOf(tenantId: string): Read {
  return get(routings, [tenantId])
}

/**
 * Fans events out: the puts of a delivery for each receiving webhook that selected them, and the check of the routing
 * row, which orders each event before or after a turn-off.
 */
export function fanOut(input: FanOut): FannedOut {
  return withRouting(
    input,
    input.events.flatMap((event) => owedBy(input, event)),
  )
}

/** As `fanOut`, for any number of events, with pauses between. */
export function* fanOutInSlices(input: FanOut, slices: Slices): Generator<undefined, FannedOut> {
  const puts: Put[] = []
  for (const event of input.events) {
    const owed = owedBy(input, event)
    puts.push(...owed)
    if (slices.spend(owed.length * owedEffort)) yield
  }
  return withRouting(input, puts)
}

/** The approximate cost of making a message or a delivery, in characters written. */
const owedEffort = 512

/** Events of one change set, and what fanning them out needs. */
export interface FanOut {
  readonly routing: Versioned<Routing> | null
  readonly tenantId: string
  readonly events: readonly Outgoing[]
  /** The unit of work's. */
  readonly now: number
  readonly id: UnitOfWork['id']
  readonly intake: Intake
}

type FannedOut = Required<Pick<Parts, 'checks' | 'puts'>>

/** The message of an event with its deliveries; nothing where neither webhook nor chat takes it. */
function owedBy({ routing, tenantId, now, id, intake }: FanOut, event: Outgoing): readonly Put[] {
  const routes = routing?.row.routes ?? []
  const to = routes.filter((route) => route.receiving && selects(route, event.type))
  const chats = (routing?.row.channels ?? []).filter((channel) => selects(channel, event.type))
  if (to.length === 0 && chats.length === 0) return []
  const family = familyOf(event.type)
  const { id: messageId, type, applicationId, body } = event
  const createdAt = eventTime(routing, now)
  const message = { messageId, tenantId, applicationId, type, family, createdAt, body }
  const policy = family === 'standard' ? 'review' : 'legacy'
  const owed: readonly Owed[] = [
    ...to.map(
      ({ webhookId: endpointId, generation }) =>
        ({ endpointId, kind: 'event', policy, generation, trigger: 'event' }) as const,
    ),
    ...chats.map(
      ({ channelId: endpointId, kind, generation }) =>
        ({ endpointId, kind, policy: 'legacy', generation, trigger: 'event' }) as const,
    ),
  ]
  return owe({ now, id }, intake, message, owed)
}

/** Adds the put of the routing row where its bounds move, else the check of it. */
function withRouting({ routing, tenantId, events, now }: FanOut, puts: readonly Put[]): FannedOut {
  if (events.length === 0) return { checks: [], puts: [] }
  const moved = movedBounds(routing, now)
  return moved
    ? { checks: [], puts: [...puts, moved] }
    : { checks: [routingCheck(routing, tenantId)], puts }
}

/** The routing row that a decision relied on. */
export function routingCheck(routing: Versioned<Routing> | null, tenantId: string): Check {
  return { in: routings.name, key: [tenantId], version: routing?.version ?? 0 }
}

function selects(route: Pick<Route, 'eventTypes'>, type: EventType): boolean {
  return route.eventTypes.some((selected) => selected === '*' || selected === type)
}

/**
 * The routing row with a later horizon, when an event reaches it while a webhook is off, or with an earlier floor, when
 * the clock was set back before the turn-off; null when neither moves.
 */
function movedBounds(routing: Versioned<Routing> | null, now: number): Put | null {
  if (!routing || routing.row.routes.every((route) => route.receiving)) return null
  const at = eventTime(routing, now)
  const row = broughtBack(routing.row, now)
  const { changedAt, horizon, floor } = row
  const bounds = {
    horizon: at < horizon ? horizon : at + slackMs,
    floor: at < changedAt ? Math.min(floor ?? at, at) : floor,
  }
  if (row === routing.row && bounds.horizon === horizon && bounds.floor === floor) return null
  return put(routings, marked({ ...row, ...bounds }), routing)
}
