import { catalogue, type EventType } from '../../base/events/catalogue.ts'
import type { Found, Read, Versioned, Where } from '../../base/ports/store.ts'
import { behindCursor, rowsShape } from '../../kernel/keyset.ts'
import { wrong } from '../../kernel/ledger/input-errors.ts'
import { deepestRow, mostCounted } from '../../kernel/ledger/page.ts'
import type { Rows } from '../../kernel/ledger/read-part.ts'
import { inTurn, list, many } from '../../kernel/ledger/reads.ts'
import { operationsWith } from '../../kernel/operation.ts'
import { oneOf, type RowsOf, time } from '../../kernel/shape.ts'
import { optional } from '../../kernel/wrap.ts'
import { type Delivery, deliveries } from '../../outbox/records.ts'
import { leastEventIdAt } from '../event-ids.ts'
import { existing } from '../load-webhook.ts'
import { admitsFor } from '../machine/admits.ts'
import { shownWebhook } from '../records.ts'
import type { WebhookTools } from '../tools.ts'
import { deliveryMembers, deliveryShape } from './shown-delivery.ts'

const { reading } = operationsWith<WebhookTools>()

/** The statuses that are stored. What is under way is stored as it waited. */
const storedStatuses = ['pending', 'retry_scheduled', 'delivered', 'dead_lettered'] as const

const filter = {
  status: optional(oneOf(storedStatuses)),
  type: optional(oneOf(Object.keys(catalogue) as EventType[])),
  /** Of when the event was recorded, which its id tells. */
  from: optional(time),
  until: optional(time),
}
type Filter = RowsOf<typeof filter> & RowsOf<typeof behindCursor>

/** What a webhook was owed in its 30 days, newest first: events, notices about itself, and tests. */
export const listDeliveries = reading({
  name: 'webhooks.listDeliveries',
  doc: 'List what a webhook was owed, newest first',
  right: 'readWebhooks',
  takes: { webhookId: shownWebhook.id, ...filter, ...behindCursor },
  also: ({ from, until }) =>
    from !== undefined && until !== undefined && from >= until
      ? [wrong('/until', 'expected a time after `from`')]
      : [],
  gives: rowsShape(deliveryShape, 'Deliveries'),
  refuses: ['not_found'],
  async run({ ask, read, tools: { clock } }, { webhookId, ...asked }) {
    const { webhook } = await ask({ webhook: existing(webhookId) })
    const { rows, ...place } = await partOf(webhookId, asked, read)
    const view = { now: clock.now(), admits: admitsFor(webhook.row) }
    return { rows: rows.map((row) => deliveryShape.show(deliveryMembers(row, view))), ...place }
  },
})

/** Rows of one order, by their messages. */
interface Run {
  readonly by: 'key' | 'byStatus'
  readonly where: Where
}

/**
 * One index has the rows of each status in order, so rows of all statuses come from the key, and those of a type from
 * one run a status, merged. A type is tried in the index, on at most `deepestRow` entries an answer: the list then goes
 * on behind the last of them.
 */
async function partOf(
  webhookId: string,
  { status, type, from, until, after, limit }: Filter,
  read: (reads: readonly Read[]) => Promise<readonly Found[]>,
): Promise<Rows<Versioned<Delivery>>> {
  const statuses = status ? [status] : type ? storedStatuses : []
  const least = from === undefined ? '' : leastEventIdAt(from)
  const ends = until === undefined ? [] : [leastEventIdAt(until)]
  const runs = (statuses.length === 0 ? [null] : statuses).map((each): Run => {
    const endpoint = ['endpointId', '=', webhookId] as const
    return each === null
      ? { by: 'key', where: [endpoint] }
      : { by: 'byStatus', where: [endpoint, ['status', '=', each]] }
  })
  const whole = between(least, ends)
  const behind = between(least, after === undefined ? ends : [...ends, after])
  const triedTo = type === undefined ? null : await endOfTrial(runs, behind, read)
  const tried: Where = [
    ...(triedTo === null
      ? behind
      : between(triedTo, after === undefined ? ends : [...ends, after])),
    ...(type === undefined ? [] : [['type', '=', type] as const]),
  ]
  const counted = type === undefined ? whole : tried
  const ofNext = inTurn(
    await read(
      runs.flatMap(({ by, where }) => [
        list(deliveries, { by, where: [...where, ...tried], newest: true, take: limit + 1 }),
        list(deliveries, { by, where: [...where, ...counted], take: 0, count: mostCounted }),
      ]),
    ),
  )
  let totalCount = 0
  const found = runs.flatMap(() => {
    const [rows, total] = ofNext(2)
    totalCount += total?.total ?? 0
    return many(deliveries, rows)
  })
  const inOrder = found.sort((a, b) => (a.row.messageId < b.row.messageId ? 1 : -1))
  const rows = inOrder.slice(0, limit)
  const last = rows.at(-1)
  const more = inOrder.length > limit && last
  return {
    rows,
    next: more ? last.row.messageId : triedTo,
    totalCount: Math.min(totalCount, mostCounted),
  }
}

/** Messages from the one that is `least` to before the first of `ends`. */
function between(least: string, ends: readonly string[]): Where {
  const [end] = ends.toSorted()
  return [
    ['messageId', '>=', least],
    ...(end === undefined ? [] : [['messageId', '<', end] as const]),
  ]
}

/** The message to which `deepestRow` entries reach, the same in each run; null where these are all. */
async function endOfTrial(
  runs: readonly Run[],
  behind: Where,
  read: (reads: readonly Read[]) => Promise<readonly Found[]>,
): Promise<string | null> {
  const skip = Math.floor(deepestRow / runs.length) - 1
  const found = await read(
    runs.map(({ by, where }) =>
      list(deliveries, { by, where: [...where, ...behind], newest: true, skip, take: 1 }),
    ),
  )
  const ends = found.flatMap((each) => many(deliveries, each).map(({ row }) => row.messageId))
  return ends.toSorted().at(-1) ?? null
}
