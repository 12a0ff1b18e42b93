import { hiddenOf, hiddenReads } from '../../applications/hidden.ts'
import type { Clock } from '../../base/ports/clock.ts'
import type { Found, Read, Where } from '../../base/ports/store.ts'
import type { MemberActor } from '../../kernel/callers/actor.ts'
import { authorize } from '../../kernel/callers/authorize.ts'
import { mostCounted } from '../../kernel/ledger/page.ts'
import { everyRow, inTurn, list, many } from '../../kernel/ledger/reads.ts'
import { object } from '../../kernel/members.ts'
import { operationsWith } from '../../kernel/operation.ts'
import { count } from '../../kernel/page.ts'
import { flag, type Named, type OutsOf, type RowsOf, time } from '../../kernel/shape.ts'
import { orNull } from '../../kernel/wrap.ts'
import { deliveries } from '../../outbox/records.ts'
import { type Webhook, webhooks } from '../../webhooks/records.ts'
import { reviewCases } from '../records.ts'
import { anyLapsed, dueBy, lapsedAt, openOf } from './open-cases.ts'

const { reading } = operationsWith<{ readonly clock: Clock }>()

/** Open cases, each count up to 10,001. */
const openCases = {
  /** Assigned to the caller. */
  mine: count,
  unassigned: count,
  /** Past when they are due, whoever has them. */
  overdue: count,
  /** Assigned to the caller, whose last question was answered. */
  answered: count,
  /** When the first of those is due that are the caller's or nobody's. */
  soonestDueAt: orNull(time),
}
type OpenCases = RowsOf<typeof openCases>

const ofWebhooks = {
  turnedOff: count,
  /** Receiving webhooks to which a delivery failed that will be tried again. */
  failing: count,
  /** Events that were given up and can be replayed, up to 1,001 a webhook. */
  deadLettered: count,
  /** Receiving webhooks that have not answered their challenge. */
  unverified: count,
}

const summary = {
  serverTime: time,
  /** Null for members who may not read cases. */
  reviewCases: orNull(object(openCases)),
  webhooks: object(ofWebhooks),
  /** It is of the sandbox. */
  sandbox: flag,
}
/** What waits for a member. */
export interface SummaryView extends OutsOf<typeof summary> {}
const summaryShape: Named<typeof summary, SummaryView> = object(summary, 'Summary')

type Reader = (reads: readonly Read[]) => Promise<readonly Found[]>

/** What waits for the member, in numbers that indexes hold: a browser asks for it every few seconds. */
export const readSummary = reading({
  name: 'portal.readSummary',
  doc: 'Read in numbers what waits for the member',
  right: 'readOrganization',
  takes: {},
  gives: summaryShape,
  refuses: [],
  async run({ by, read, tools }) {
    const now = tools.clock.now()
    const { tenantId } = by
    const mayReview = authorize(by, 'readCases').ok
    const [found, lapsed, ...deleted] = await read([
      list(webhooks, { by: 'byTenant', where: [['tenantId', '=', tenantId]], take: everyRow }),
      ...(mayReview ? [lapsedAt(tenantId, now), ...hiddenReads(tenantId)] : []),
    ])
    const all = many(webhooks, found).map(({ row }) => row)
    const open = { now, lapsed: anyLapsed(lapsed), hidden: hiddenOf(deleted) }
    const [ofCases, webhookCounts] = await Promise.all([
      mayReview ? countCases(read, by, open) : null,
      countWebhooks(read, all),
    ])
    return summaryShape.show({
      serverTime: now,
      reviewCases: ofCases,
      webhooks: webhookCounts,
      sandbox: by.guest === true,
    })
  },
})

interface Open {
  readonly now: number
  /** Some open cases are past their end. */
  readonly lapsed: boolean
  /** Applications that are being deleted. */
  readonly hidden: readonly string[]
}

async function countCases(
  read: Reader,
  { tenantId, memberId }: MemberActor,
  open: Open,
): Promise<OpenCases> {
  const where = openOf(tenantId, open)
  const ofAssignee = (id: string | null) => [...where, ['assigneeId', '=', id] as const]
  const counted = await countEach(read, open.hidden, [
    { by: 'queueOfAssignee', where: ofAssignee(memberId) },
    { by: 'queueOfAssignee', where: ofAssignee(null) },
    { by: 'queue', where: [...where, ['duePlace', '<', dueBy(open.now)]] },
    { by: 'queueOfAssignee', where: [...ofAssignee(memberId), ['followUp', '=', 'answered']] },
  ])
  const [mine = 0, unassigned = 0, overdue = 0, answered = 0] = counted
  const [ownDueAt, anyonesDueAt] = await Promise.all([
    mine > 0 ? soonest(read, ofAssignee(memberId), open.hidden) : null,
    unassigned > 0 ? soonest(read, ofAssignee(null), open.hidden) : null,
  ])
  const due = [ownDueAt, anyonesDueAt].filter((each) => each !== null)
  const soonestDueAt = due.length > 0 ? Math.min(...due) : null
  return { mine, unassigned, overdue, answered, soonestDueAt }
}

interface Counting {
  readonly by: string
  readonly where: Where
}

/** How many cases each finds, without those of hidden applications, up to `mostCounted`. */
async function countEach(
  read: Reader,
  hidden: readonly string[],
  asked: readonly Counting[],
): Promise<readonly number[]> {
  const none: Where = []
  const filters = [none, ...hidden.map((id): Where => [['applicationId', '=', id]])]
  // Of two numbers that were cut off, the difference would say nothing.
  const limit = hidden.length === 0 ? mostCounted : true
  const found = await read(
    asked.flatMap(({ by, where }) =>
      filters.map((more) =>
        list(reviewCases, { by, where: [...where, ...more], take: 0, count: limit }),
      ),
    ),
  )
  const next = inTurn(found)
  return asked.map(() => {
    const [all = 0, ...left] = next(filters.length).map(({ total }) => total ?? 0)
    const rest = left.reduce((sum, each) => sum - each, all)
    return Math.min(mostCounted, Math.max(0, rest))
  })
}

/** When the first of these cases is due, ms; null where there is none. */
async function soonest(
  read: Reader,
  where: Where,
  hidden: readonly string[],
): Promise<number | null> {
  // Cases may be large: one is enough where none is left out.
  const take = hidden.length === 0 ? 1 : 8
  for (let behind: Where = []; ; ) {
    const [found] = await read([
      list(reviewCases, { by: 'queueOfAssignee', where: [...where, ...behind], take }),
    ])
    const cases = many(reviewCases, found).map(({ row }) => row)
    const first = cases.find(({ applicationId }) => !hidden.includes(applicationId))
    const last = cases.at(-1)
    if (first || !last || cases.length < take) return first?.dueAt ?? null
    behind = [['duePlace', '>', last.duePlace]]
  }
}

/** Dead letters that are counted of one webhook. */
const mostDead = 1_001

async function countWebhooks(
  read: Reader,
  all: readonly Webhook[],
): Promise<RowsOf<typeof ofWebhooks>> {
  const receiving = all.filter(({ status }) => status === 'receiving')
  const inState = (endpointId: string, status: string): Where => [
    ['endpointId', '=', endpointId],
    ['status', '=', status],
  ]
  const found = await read([
    ...receiving.map(({ webhookId }) =>
      list(deliveries, {
        ...{ by: 'byStatus', where: inState(webhookId, 'retry_scheduled') },
        ...{ take: 0, count: 1 },
      }),
    ),
    ...all.map(({ webhookId }) =>
      list(deliveries, {
        by: 'byStatus',
        where: [...inState(webhookId, 'dead_lettered'), ['kind', '=', 'event']],
        ...{ take: 0, count: mostDead },
      }),
    ),
  ])
  const totals = found.map(({ total }) => total ?? 0)
  const sum = (numbers: readonly number[]) => numbers.reduce((all, each) => all + each, 0)
  return {
    turnedOff: all.length - receiving.length,
    failing: sum(totals.slice(0, receiving.length)),
    deadLettered: sum(totals.slice(receiving.length)),
    unverified: receiving.filter(({ verification }) => verification.state !== 'verified').length,
  }
}
