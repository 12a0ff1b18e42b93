import { hiddenOf, hiddenReads } from '../../applications/hidden.ts'
import type { Clock } from '../../base/ports/clock.ts'
import { isoTime } from '../../kernel/ledger/iso-time.ts'
import { longest } from '../../kernel/ledger/limits.ts'
import { deepestRow } from '../../kernel/ledger/page.ts'
import { get, list, many, one } from '../../kernel/ledger/reads.ts'
import { listOf, object } from '../../kernel/members.ts'
import { operationsWith } from '../../kernel/operation.ts'
import { count } from '../../kernel/page.ts'
import {
  line,
  type Named,
  type OutsOf,
  pattern,
  type RowsOf,
  text,
  time,
  whole,
} from '../../kernel/shape.ts'
import { orNull, usual } from '../../kernel/wrap.ts'
import { members } from '../../organizations/access/records.ts'
import { caseMembers } from '../shapes.ts'
import { type CaseOutcome, caseOutcomes, statisticDays } from './outcome-records.ts'

const { reading } = operationsWith<{ readonly clock: Clock }>()

const figures = {
  approved: count,
  rejected: count,
  responseSubmitted: count,
  cancelled: count,
  expired: count,
  /** Ms from the opening to the decision, of those that a reviewer decided; null without any. */
  medianMs: orNull(count),
  /** Decisions of which a browser told for how long the case was in view. */
  viewed: count,
  /** Of these, those whose case was in view for less than 5 s. */
  viewedBriefly: count,
  /** Ms in view, of these; null without any. */
  medianViewedMs: orNull(count),
}
type Figures = RowsOf<typeof figures>

const statistics = {
  /** Cases that ended since, up to now, are counted. */
  from: time,
  until: time,
  all: object(figures),
  /** Each day of the time, in UTC. */
  days: listOf(object({ day: pattern(/^\d{4}-\d\d-\d\d$/, 'a day', 10), ...figures })),
  tiers: listOf(object({ reviewTier: caseMembers.reviewTier, ...figures })),
  /** Those who decided, by how many; the name is null once there is no such member. */
  reviewers: listOf(
    object({ memberId: line(longest.id), name: orNull(text(longest.name)), ...figures }),
  ),
}
/** How cases ended, and how soon. */
export interface ReviewStatistics extends OutsOf<typeof statistics> {}
const statisticsShape: Named<typeof statistics, ReviewStatistics> = object(
  statistics,
  'ReviewStatistics',
)

const dayMs = 86_400_000
/** Decided on a case that was in view for less, ms, is hardly reviewed. */
const briefMs = 5_000

/** How cases ended in the last days, of which the newest 10,000 are counted, but for those of hidden applications. */
export const readStatistics = reading({
  name: 'portal.readStatistics',
  doc: 'Read how cases ended, and how soon',
  right: 'readReviewStatistics',
  takes: { days: usual(whole(1, statisticDays), 30) },
  gives: statisticsShape,
  refuses: [],
  async run({ by: { tenantId }, read, tools }, { days }) {
    const until = tools.clock.now()
    const begin = (Math.floor(until / dayMs) - days + 1) * dayMs
    const where = [
      ['tenantId', '=', tenantId],
      ['closedAt', '>=', begin],
    ] as const
    const [found, ...deleted] = await read([
      list(caseOutcomes, { where, newest: true, take: deepestRow + 1 }),
      ...hiddenReads(tenantId),
    ])
    const newest = many(caseOutcomes, found).map(({ row }) => row)
    // What shares its ms with a case that is left out is left out too.
    const left = newest[deepestRow]
    const from = left ? left.closedAt + 1 : begin
    const hidden = hiddenOf(deleted)
    const ended = newest.filter(
      ({ closedAt, applicationId }) => closedAt >= from && !hidden.includes(applicationId),
    )
    const reviewers = reviewersOf(ended)
    const names = await read(reviewers.map(({ memberId }) => get(members, [tenantId, memberId])))
    return statisticsShape.show({
      from,
      until,
      all: figuresOf(ended),
      days: daysOf(ended, from, until),
      tiers: (['standard', 'high', 'urgent'] as const).map((reviewTier) => ({
        reviewTier,
        ...figuresOf(ended.filter((each) => each.reviewTier === reviewTier)),
      })),
      reviewers: reviewers.map((each, at) => ({
        ...each,
        name: one(members, names[at])?.row.name ?? null,
      })),
    })
  },
})

function figuresOf(ended: readonly CaseOutcome[]): Figures {
  const of = (decision: CaseOutcome['decision']) =>
    ended.filter((each) => each.decision === decision).length
  const decided = ended.filter(({ reviewerId }) => reviewerId !== null)
  const viewed = decided.map(({ viewedMs }) => viewedMs).filter((ms) => ms !== null)
  return {
    approved: of('approved'),
    rejected: of('rejected'),
    responseSubmitted: of('response_submitted'),
    cancelled: of('cancelled'),
    expired: of('expired'),
    medianMs: medianOf(decided.map(({ createdAt, closedAt }) => closedAt - createdAt)),
    viewed: viewed.length,
    viewedBriefly: viewed.filter((ms) => ms < briefMs).length,
    medianViewedMs: medianOf(viewed),
  }
}

/** The middle of these, the lower of two; null without any. */
export function medianOf(numbers: readonly number[]): number | null {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? null
}

function grouped<K>(
  ended: readonly CaseOutcome[],
  keyOf: (outcome: CaseOutcome) => K,
): ReadonlyMap<K, readonly CaseOutcome[]> {
  const groups = new Map<K, CaseOutcome[]>()
  for (const each of ended) {
    const group = groups.get(keyOf(each))
    if (group) group.push(each)
    else groups.set(keyOf(each), [each])
  }
  return groups
}

function daysOf(ended: readonly CaseOutcome[], from: number, until: number) {
  const dayOf = (at: number) => Math.floor(at / dayMs)
  const groups = grouped(ended, ({ closedAt }) => dayOf(closedAt))
  const [first, last] = [dayOf(from), dayOf(until)]
  return Array.from({ length: last - first + 1 }, (_, at) => ({
    day: isoTime((first + at) * dayMs).slice(0, 'YYYY-MM-DD'.length),
    ...figuresOf(groups.get(first + at) ?? []),
  }))
}

function reviewersOf(ended: readonly CaseOutcome[]) {
  return [...grouped(ended, ({ reviewerId }) => reviewerId)]
    .flatMap(([memberId, own]) => (memberId === null ? [] : [{ memberId, own }]))
    .toSorted((a, b) => b.own.length - a.own.length || (a.memberId < b.memberId ? -1 : 1))
    .map(({ memberId, own }) => ({ memberId, ...figuresOf(own) }))
}
