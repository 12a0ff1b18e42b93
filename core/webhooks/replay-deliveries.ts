import { type Actor, actorName, type MemberActor } from '../access/actor.ts'
import { executeAs } from '../access/execute-as.ts'
import { newId } from '../ledger/ids.ts'
import { refuseErrors, wrong } from '../ledger/input-errors.ts'
import { isoTime } from '../ledger/iso-time.ts'
import { commit, type Plan, refusal, type UnitOfWork } from '../ledger/ledger.ts'
import { get, list, many, one, put } from '../ledger/reads.ts'
import { ok, type Result, refuse } from '../ledger/refusal.ts'
import { replay } from '../outbox/machine.ts'
import { type Delivery, deliveries } from '../outbox/records.ts'
import type { Put, Versioned } from '../ports/store.ts'
import { auditOf } from './change-set.ts'
import { isSelectable } from './check-input.ts'
import type { WebhookDeps } from './deps.ts'
import { loadWebhook } from './load-webhook.ts'
import { admitsFor } from './machine/admits.ts'
import { gone } from './machine/machine.ts'
import { type Webhook, webhooks } from './records.ts'
import type { WebhookUseCases } from './use-cases.ts'
import { type RecoverResult, type ReplayResult, recoverBy } from './view.ts'

/** Deliveries looked at in one commit. */
const piece = 100
/** How much later than its id an event may be timed: never more than a moment, unless a clock was set back. */
const idMarginMs = 24 * 60 * 60 * 1_000

/** The last time that a date tells, in ms. */
const latest = 8_640_000_000_000_000

type Outcome = ReplayResult['results'][number]

type Query = Parameters<WebhookUseCases['recover']>[2]

/** Opens the next round of deliveries: of one event, or of all that was dead-lettered and lies in a span of time. */
export function createRecovery(
  ports: Pick<WebhookDeps, 'ledger'>,
): Pick<WebhookUseCases, 'replay' | 'recover'> {
  const { ledger } = ports

  /** One unit of work on the webhook's deliveries, which holds as long as the webhook stays as it is. */
  function withReceiving<T>(
    actor: Actor,
    webhookId: string,
    fault: ReturnType<typeof refuse> | null,
    plan: (unit: UnitOfWork, webhook: Versioned<Webhook>, member: MemberActor) => Promise<Plan<T>>,
  ): Promise<Result<T>> {
    return executeAs<T>(ledger, actor, 'replayDeliveries', async (unit, member) => {
      const loaded = await loadWebhook(unit, member.tenantId, webhookId)
      if (!loaded.ok) return refusal(loaded)
      if (fault) return refusal(fault)
      const { webhook } = loaded.value
      if (webhook.row.statusReason === 'endpoint_gone') return refusal(gone())
      if (webhook.row.status === 'turned_off')
        return refusal(
          refuse('invalid_transition', 'the webhook is turned off: turn it on, then replay'),
        )
      return plan(unit, webhook, member)
    })
  }

  return {
    replay: (actor, webhookId, eventId) =>
      withReceiving<ReplayResult>(actor, webhookId, null, async (unit, webhook, member) => {
        const [found] = await unit.read([get(deliveries, [webhookId, eventId])])
        const delivery = one(deliveries, found)
        if (delivery?.row.kind !== 'event') return refusal(refuse('not_found', 'no such delivery'))
        const next = nextRound(delivery, webhook.row, unit.now)
        const result = next ? 'replayed' : 'in_progress'
        const puts = next ? [next] : []
        const act = { action: 'webhook.replayed', detail: { eventId } }
        return replayed(unit, member, webhook, act, puts, {
          results: [{ eventId, result }],
        })
      }),

    async recover(actor, webhookId, query) {
      const results: Outcome[] = []
      const fault = queryFault(query)
      for (let after: string | null = firstId(query); after !== null; ) {
        const last: string = after
        const step = await withReceiving<Step>(actor, webhookId, fault, (unit, webhook, member) =>
          recoverPiece(unit, member, webhook, query, last),
        )
        if (!step.ok)
          return results.length === 0
            ? step
            : {
                ok: false,
                refusal: { ...step.refusal, facts: { selected: selectedBy(query), results } },
              }
        results.push(...step.value.results)
        after = step.value.next
      }
      return ok({ selected: selectedBy(query), results })
    },
  }
}

interface Step {
  readonly results: readonly Outcome[]
  /** Behind which event to go on; null at the end. */
  readonly next: string | null
}

async function recoverPiece(
  unit: UnitOfWork,
  member: MemberActor,
  webhook: Versioned<Webhook>,
  query: Query,
  after: string,
): Promise<Plan<Step>> {
  const { from, until, by = 'event' } = query
  const [found] = await unit.read([
    list(deliveries, {
      where: [
        ['endpointId', '=', webhook.row.webhookId],
        ['kind', '=', 'event'],
        ['messageId', '>', after],
        ['messageId', '<', lowestId(until)],
      ],
      by: 'byKind',
      take: piece,
    }),
  ])
  const rows = many(deliveries, found)
  const puts: Put[] = []
  const results = rows
    .filter(({ row }) => selects(query, row))
    .map((delivery): Outcome => {
      const eventId = delivery.row.messageId
      if (delivery.row.status === 'delivered') return { eventId, result: 'already_delivered' }
      const next = nextRound(delivery, webhook.row, unit.now)
      if (!next) return { eventId, result: 'in_progress' }
      puts.push(next)
      return { eventId, result: 'replayed' }
    })
  const last = rows.length === piece ? rows.at(-1) : undefined
  const act = { action: 'webhook.recovered', detail: { by, from, until, replayed: puts.length } }
  return replayed(unit, member, webhook, act, puts, {
    results,
    next: last?.row.messageId ?? null,
  })
}

/** Behind which id to begin: an event is no older than its id, and may be given up long after. */
function firstId({ from, by = 'event' }: Query): string {
  return lowestId(by === 'event' ? from - idMarginMs : 0)
}

/** Whether a recovery names this delivery: by the time of its event, or by when it was given up. */
function selects({ from, until, types, by = 'event' }: Query, row: Delivery): boolean {
  const at = by === 'event' ? row.createdAt : row.status === 'dead_lettered' ? row.endedAt : null
  return at !== null && at >= from && at < until && (types?.includes(row.type) ?? true)
}

/** The put of a delivery's next round; null while a round still runs. */
function nextRound(delivery: Versioned<Delivery>, webhook: Webhook, now: number): Put | null {
  const { generation } = webhook
  const next = replay(delivery, { now, generation, admits: admitsFor(webhook) })
  return next && put(deliveries, next, delivery)
}

function replayed<T>(
  unit: UnitOfWork,
  member: MemberActor,
  webhook: Versioned<Webhook>,
  act: { readonly action: string; readonly detail: Readonly<Record<string, string | number>> },
  puts: readonly Put[],
  value: T,
): Plan<T> {
  if (puts.length === 0) return { kind: 'answer', value }
  const key = [webhook.row.webhookId] as const
  return commit(
    {
      // A turn-off meanwhile would begin a generation that these rounds do not belong to.
      checks: [{ in: webhooks.name, key, version: webhook.version }],
      puts,
      ...auditOf(webhook.row, { actor: actorName(member), ...act }, unit.now),
    },
    value,
  )
}

/** What a recovery named, as its answer tells it. */
function selectedBy({ from, until, types, by = 'event' }: Query): RecoverResult['selected'] {
  return { by, from: isoTime(from), until: isoTime(until), types: types ?? null }
}

/** The first id of a millisecond, of those that an id can tell: ids sort by the time at which they were made. */
function lowestId(ms: number): string {
  const told = Math.min(Math.max(0, ms), 2 ** 48 - 1)
  return newId('evt', told, { bytes: (count) => new Uint8Array(count) })
}

function queryFault({
  from,
  until,
  types = [],
  by = 'event',
}: Query): ReturnType<typeof refuse> | null {
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
      isSelectable(type) && type !== '*'
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
