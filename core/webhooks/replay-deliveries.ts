import { selectableTypes } from '../base/events/catalogue.ts'
import type { Actor, MemberActor } from '../kernel/callers/actor.ts'
import { authorizeMember } from '../kernel/callers/authorize.ts'
import { refuseErrors, wrong } from '../kernel/ledger/input-errors.ts'
import { isoTime } from '../kernel/ledger/iso-time.ts'
import { longest, most } from '../kernel/ledger/limits.ts'
import { list, many } from '../kernel/ledger/reads.ts'
import { ok, type Result, refuse } from '../kernel/ledger/refusal.ts'
import { listOf, object } from '../kernel/members.ts'
import { operationsWith } from '../kernel/operation.ts'
import { count } from '../kernel/page.ts'
import type { KernelPorts } from '../kernel/ports.ts'
import { rowUnder } from '../kernel/query.ts'
import { commitAs } from '../kernel/run.ts'
import {
  flag,
  type InsOf,
  type OutsOf,
  oneOf,
  type RowsOf,
  type Shape,
  text,
  time,
} from '../kernel/shape.ts'
import type { Unit } from '../kernel/unit.ts'
import { described, optional, orNull } from '../kernel/wrap.ts'
import { bringForward, replay } from '../outbox/machine.ts'
import { type Delivery, deliveries } from '../outbox/records.ts'
import { leastEventIdAt } from './event-ids.ts'
import { existing } from './load-webhook.ts'
import { admitsFor } from './machine/admits.ts'
import { gone } from './machine/machine.ts'
import { shownWebhook, type Webhook } from './records.ts'
import type { WebhookTools } from './tools.ts'

const { command } = operationsWith<WebhookTools>()

const replayed = {
  /** `brought_forward`: its next try was due later, and is made now. */
  results: listOf(
    object({
      eventId: shownWebhook.id,
      result: oneOf(['replayed', 'brought_forward', 'in_progress']),
    }),
  ),
}
/** What became of the event that a replay named. */
export interface ReplayResult extends OutsOf<typeof replayed> {}

/** Opens another round of one event's delivery, or makes the next try of its round now, unless one is under way. */
export const replayDelivery = command({
  name: 'webhooks.replay',
  doc: 'Send one event again',
  right: 'replayDeliveries',
  takes: { webhookId: shownWebhook.id, eventId: shownWebhook.id },
  gives: object(replayed, 'Replay'),
  refuses: ['not_found', 'endpoint_gone', 'invalid_transition'],
  async run(unit, { webhookId, eventId }) {
    const { webhook } = await unit.ask({ webhook: existing(webhookId) })
    unit.orRefuse(receiving(webhook.row))
    const { delivery } = await unit.ask({ delivery: rowUnder(deliveries, [webhookId, eventId]) })
    if (delivery?.row.kind !== 'event') return unit.refuse('not_found', 'no such delivery')
    const view = viewOf(webhook.row, unit.now)
    const again = replay(delivery, view)
    const next = again ?? bringForward(delivery, view)
    if (!next) return { results: [{ eventId, result: 'in_progress' as const }] }
    const result = again ? ('replayed' as const) : ('brought_forward' as const)
    unit.put(deliveries, next, delivery)
    unit.audit('webhook.replayed', webhookId, { eventId, result })
    return { results: [{ eventId, result }] }
  },
})

/** By what a recovery selects: the time of the event, or when its delivery was given up. */
const recoverBy = ['event', 'given_up'] as const
const eventTypes = listOf(text(longest.eventType), { least: 1, most: most.eventTypes })

/** The members of a recovery's request: it selects events from `from` to before `until`. */
export const recoverMembers = {
  from: time,
  until: time,
  types: optional(eventTypes),
  by: optional(oneOf(recoverBy)),
  dryRun: described(optional(flag), 'Counts alone: nothing is sent or written.'),
}
const recovered = {
  /** Null: every type. */
  selected: object({ by: oneOf(recoverBy), from: time, until: time, types: orNull(eventTypes) }),
  dryRun: flag,
  /** How many events have each result; in a dry run, would have. */
  counts: object({ replayed: count, alreadyDelivered: count, inProgress: count }),
  /** What became of each event; none in a dry run. */
  results: listOf(
    object({
      eventId: shownWebhook.id,
      result: oneOf(['replayed', 'already_delivered', 'in_progress']),
    }),
  ),
}
type Outcome = RecoverResult['results'][number]

/** A recovery: what it selected, and what became of it. */
export interface RecoverResult extends OutsOf<typeof recovered> {}
/** The answer of a recovery. */
export const recoverShape: Shape<
  RowsOf<typeof recovered>,
  InsOf<typeof recovered>,
  RecoverResult
> = object(recovered, 'Recovery')

type Query = InsOf<typeof recoverMembers>

/** Deliveries looked at in one commit, and in one read of a dry run. */
const piece = 100
const dryPiece = 1_000
/** How much later than its id's time an event may be timed; more than a moment only after a clock was set back. */
const idMarginMs = 24 * 60 * 60 * 1_000

/** The latest time of a Date, in ms. */
const latest = 8_640_000_000_000_000

/** Replays dead-lettered deliveries in bounded commits. */
export function createRecovery({ kernel }: { readonly kernel: KernelPorts }) {
  return {
    /**
     * Replays dead-lettered deliveries of events from `from` to before `until`, both ms since the epoch; with `by`
     * `given_up`, those that were dead-lettered in that span. When one of its commits is refused, the refusal's `facts`
     * have `selected` and the `results` so far. A dry run counts, and writes nothing.
     * Refuses with `not_found`, `invalid_request`, `endpoint_gone`, `invalid_transition` for a
     * webhook that is off.
     */
    async recover(actor: Actor, input: Recovery): Promise<Result<RecoverResult>> {
      const right = 'replayDeliveries'
      const allowed = authorizeMember(actor, right)
      if (!allowed.ok) return allowed
      const by = allowed.value
      const results: Outcome[] = []
      const counts = { replayed: 0, already_delivered: 0, in_progress: 0 }
      const { dryRun = false } = input
      for (let after: string | null = firstId(input); after !== null; ) {
        const last: string = after
        const step = await commitAs(kernel, { by, right }, (unit: RecoveryUnit) =>
          recoverPiece(unit, input, last),
        )
        if (!step.ok)
          return results.length === 0
            ? step
            : {
                ok: false,
                refusal: { ...step.refusal, facts: { selected: selectedBy(input), results } },
              }
        for (const { result } of step.value.results) counts[result]++
        if (!dryRun) results.push(...step.value.results)
        after = step.value.next
      }
      const { replayed, already_delivered: alreadyDelivered, in_progress: inProgress } = counts
      return ok({
        selected: selectedBy(input),
        dryRun,
        counts: { replayed, alreadyDelivered, inProgress },
        results,
      })
    },
  }
}

type Recovery = { readonly webhookId: string } & Query
type RecoveryUnit = Unit<
  MemberActor,
  'not_found' | 'invalid_request' | 'endpoint_gone' | 'invalid_transition'
>

interface Step {
  readonly results: readonly Outcome[]
  /** The event id to go on after; null at the end. */
  readonly next: string | null
}

async function recoverPiece(unit: RecoveryUnit, query: Recovery, after: string): Promise<Step> {
  const { webhookId, from, until, by = 'event', dryRun = false } = query
  const take = dryRun ? dryPiece : piece
  // Also a check: a turn-off before the commit would begin a generation that these rounds do not belong to.
  const { webhook } = await unit.ask({ webhook: existing(webhookId) })
  unit.orRefuse(queryFault(query) ?? receiving(webhook.row))
  const [found] = await unit.read([
    list(deliveries, {
      where: [
        ['endpointId', '=', webhookId],
        ['kind', '=', 'event'],
        ['messageId', '>', after],
        ['messageId', '<', leastEventIdAt(until)],
      ],
      by: 'byKind',
      take,
    }),
  ])
  const rows = many(deliveries, found)
  let replayed = 0
  const results = rows
    .filter(({ row }) => selects(query, row))
    .map((delivery): Outcome => {
      const eventId = delivery.row.messageId
      if (delivery.row.status === 'delivered') return { eventId, result: 'already_delivered' }
      const next = replay(delivery, viewOf(webhook.row, unit.now))
      if (!next) return { eventId, result: 'in_progress' }
      if (!dryRun) unit.put(deliveries, next, delivery)
      replayed++
      return { eventId, result: 'replayed' }
    })
  if (replayed > 0 && !dryRun)
    unit.audit('webhook.recovered', webhookId, { by, from, until, replayed })
  const last = rows.length === take ? rows.at(-1) : undefined
  return { results, next: last?.row.messageId ?? null }
}

/** Refuses to replay to a webhook that is off. */
function receiving({
  status,
  statusReason,
}: Webhook): Result<null, 'endpoint_gone' | 'invalid_transition'> {
  if (statusReason === 'endpoint_gone') return gone()
  return status === 'receiving'
    ? ok(null)
    : refuse('invalid_transition', 'the webhook is turned off: turn it on, then replay')
}

/** The id after which a recovery begins: an event is never older than its id, and may be given up long after it. */
function firstId({ from, by = 'event' }: Query): string {
  return leastEventIdAt(by === 'event' ? from - idMarginMs : 0)
}

/** Whether a recovery names this delivery: by the time of its event, or by when it was given up. */
function selects({ from, until, types, by = 'event' }: Query, row: Delivery): boolean {
  const at = by === 'event' ? row.createdAt : row.status === 'dead_lettered' ? row.endedAt : null
  return at !== null && at >= from && at < until && (types?.includes(row.type) ?? true)
}

/** By which a replay judges a webhook's deliveries. */
function viewOf(webhook: Webhook, now: number): Parameters<typeof replay>[1] {
  return { now, generation: webhook.generation, admits: admitsFor(webhook) }
}

/** The selection of a recovery, as its answer shows it. */
function selectedBy({ from, until, types, by = 'event' }: Query): RecoverResult['selected'] {
  return { by, from: isoTime(from), until: isoTime(until), types: types ?? null }
}

function queryFault({
  from,
  until,
  types = [],
  by = 'event',
}: Query): ReturnType<typeof refuseErrors> {
  return refuseErrors([
    ...(recoverBy.includes(by)
      ? []
      : [wrong('/by', `expected ${recoverBy.join(' or ')}, got ${JSON.stringify(by)}`)]),
    ...Object.entries({ from, until }).flatMap(([name, ms]) =>
      Number.isSafeInteger(ms) && Math.abs(ms) <= latest
        ? []
        : [wrong(`/${name}`, `expected a time in ms since the epoch, got ${ms}`)],
    ),
    ...(from < until ? [] : [wrong('/until', 'expected a time after `from`')]),
    ...types.flatMap((type, at) =>
      selectableTypes.some((one) => one === type)
        ? []
        : [
            wrong(
              `/types/${at}`,
              `expected an event type that can be selected, got ${JSON.stringify(type)}`,
            ),
          ],
    ),
  ])
}
