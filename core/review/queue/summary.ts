import type { Found, Read, Where } from '../../base/ports/store.ts'
import type { MemberActor } from '../../kernel/callers/actor.ts'
import { authorize } from '../../kernel/callers/authorize.ts'
import type { KeptAnswers, Seen } from '../../kernel/kept-answers.ts'
import {
  type Counted,
  changeReads,
  changesIn,
  countedRows,
} from '../../kernel/ledger/change-counts.ts'
import { mostCounted } from '../../kernel/ledger/page.ts'
import { everyRow, inTurn, list, many } from '../../kernel/ledger/reads.ts'
import { object } from '../../kernel/members.ts'
import { operationsWith } from '../../kernel/operation.ts'
import { count } from '../../kernel/page.ts'
import { flag, type Named, type OutsOf, type RowsOf, time } from '../../kernel/shape.ts'
import { orNull } from '../../kernel/wrap.ts'
import { type Delivery, deliveries } from '../../outbox/records.ts'
import { webhooks } from '../../webhooks/records.ts'
import { reviewCases } from '../records.ts'
import { dueBy, openNow, openOf, queueChanges } from './open-cases.ts'
import type { QueueTools } from './tools.ts'

const { reading } = operationsWith<Pick<QueueTools, 'clock' | 'kept'>>()

const told: readonly (string | undefined)[] = ['retry_scheduled', 'dead_lettered']
const isTold = (delivery: Delivery | null) => told.includes(delivery?.status)

/** What the summary tells of webhooks. */
export const webhookChanges: Counted = {
  name: 'webhooks',
  rows: [
    countedRows(webhooks),
    countedRows(
      deliveries,
      (row, was) => row.status !== was?.status && (isTold(row) || isTold(was)),
    ),
  ],
}

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
  async run({ by, read, tools: { kept, clock } }) {
    const now = clock.now()
    const { tenantId } = by
    const reads = [webhookChanges, queueChanges].map((each) => changeReads(each, tenantId))
    const next = inTurn(await read(reads.flat()))
    const changesOf = (own: readonly Read[] = []) => changesIn(next(own.length))
    const inWebhooks = { now, changes: changesOf(reads[0]) }
    const inQueue = { now, changes: changesOf(reads[1]) }
    const [reviewCases, webhooks] = await Promise.all([
      authorize(by, 'readCases').ok ? openCasesOf(by, kept, inQueue, read) : null,
      kept.of(['webhooks', tenantId], inWebhooks, async () => ({
        answer: await countWebhooks(read, tenantId),
        until: Number.POSITIVE_INFINITY,
      })),
    ])
    return summaryShape.show({
      serverTime: now,
      reviewCases,
      webhooks,
      sandbox: by.guest === true,
    })
  },
})

/** Counted for all of an organization once, but for what is the member's own. */
async function openCasesOf(
  { tenantId, memberId }: MemberActor,
  kept: KeptAnswers,
  seen: Seen,
  read: Reader,
): Promise<OpenCases> {
  const open = await openNow(kept, { ...seen, tenantId }, read)
  const where = openOf(tenantId, open)
  const assigned = (assigneeId: string | null, more: Where = []): Counting => ({
    by: 'queueOfAssignee',
    where: [...where, ['assigneeId', '=', assigneeId], ...more],
  })
  const counted = async (counting: Counting, ...others: readonly Counting[]) => {
    const [count = 0, ...counts] = await countEach(read, open.hidden, [counting, ...others])
    const dueAt = count > 0 ? await soonest(read, counting, open.hidden) : null
    return { answer: { count, counts, dueAt }, until: open.until }
  }
  const [nobodys, own] = await Promise.all([
    kept.of(['unassigned', tenantId], seen, () =>
      counted(assigned(null), {
        by: 'queue',
        where: [...where, ['duePlace', '<', dueBy(open.now)]],
      }),
    ),
    kept.of(['own', tenantId, memberId], seen, () =>
      counted(assigned(memberId), assigned(memberId, [['followUp', '=', 'answered']])),
    ),
  ])
  const due = [own.dueAt, nobodys.dueAt].filter((each) => each !== null)
  return {
    mine: own.count,
    unassigned: nobodys.count,
    overdue: nobodys.counts[0] ?? 0,
    answered: own.counts[0] ?? 0,
    soonestDueAt: due.length > 0 ? Math.min(...due) : null,
  }
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
  const parts = between(hidden)
  const found = await read(
    asked.flatMap(({ by, where }) =>
      parts.map((part) =>
        list(reviewCases, { by, where: [...where, ...part], take: 0, count: mostCounted }),
      ),
    ),
  )
  const next = inTurn(found)
  return asked.map(() =>
    Math.min(
      mostCounted,
      next(parts.length).reduce((sum, { total }) => sum + (total ?? 0), 0),
    ),
  )
}

/** Conditions that together find the rows of all applications but these, each once. */
function between(applicationIds: readonly string[]): readonly Where[] {
  const ids = [...applicationIds].sort()
  return [null, ...ids].map((id, at): Where => {
    const end = ids[at]
    return [
      ...(id === null ? [] : [['applicationId', '>', id] as const]),
      ...(end === undefined ? [] : [['applicationId', '<', end] as const]),
    ]
  })
}

/** When the first of these cases is due, ms; null where there is none. */
async function soonest(
  read: Reader,
  { by, where }: Counting,
  hidden: readonly string[],
): Promise<number | null> {
  const found = await read(
    between(hidden).map((part) =>
      // Cases may be large: one is enough.
      list(reviewCases, { by, where: [...where, ...part], take: 1 }),
    ),
  )
  const due = found.flatMap((each) => many(reviewCases, each).map(({ row }) => row.dueAt))
  return due.length > 0 ? Math.min(...due) : null
}

/** Dead letters that are counted of one webhook. */
const mostDead = 1_001

async function countWebhooks(read: Reader, tenantId: string): Promise<RowsOf<typeof ofWebhooks>> {
  const [stored] = await read([
    list(webhooks, { by: 'byTenant', where: [['tenantId', '=', tenantId]], take: everyRow }),
  ])
  const all = many(webhooks, stored).map(({ row }) => row)
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
