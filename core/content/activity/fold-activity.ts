import type { Found, Put, Read, Versioned } from '../../base/ports/store.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { inTurn, list, many, put } from '../../kernel/ledger/reads.ts'
import { sessions } from '../records.ts'
import { type Activity, activityOf, noActivity, plus } from './activity.ts'
import { type ActivityMinute, activityMinutes, minuteMs, occurrences, slotMs } from './records.ts'

/** An application; with an empty id, what belongs to none. */
export interface Place {
  readonly tenantId: string
  readonly applicationId: string
}

/** What happened at a time, ms. */
export interface Fact {
  readonly at: number
  readonly activity: Activity
}

/** Facts of a place that were not folded yet, up to a time that begins a slot. */
export interface Unfolded {
  readonly facts: readonly Fact[]
  readonly until: number
}

/** Rows that one read brings, and about how many one run takes of a place. */
const pageSize = 1_000
const mostFacts = 5_000

/** The begin of the slot that holds a time. */
export function slotOf(at: number): number {
  return at - (at % slotMs)
}

/**
 * Facts of each place from `from` to before `until`, both the begin of a slot; where a place has many, those of the first
 * slots alone.
 */
export async function readFacts(
  unit: UnitOfWork,
  places: readonly Place[],
  from: number,
  until: number,
): Promise<readonly Unfolded[]> {
  if (until <= from) return places.map(() => ({ facts: [], until }))
  const span = { from, until }
  const first = await unit.read(
    places.flatMap((place) => [completedIn(place, span, 0), notedIn(place, span, 0)]),
  )
  const unfolded: Unfolded[] = []
  const ofNext = inTurn(first)
  for (const place of places) {
    const [firstCompleted, firstNoted] = ofNext(2)
    const completed = await readOn(unit, span, sessionFacts, firstCompleted, (skip) =>
      completedIn(place, span, skip),
    )
    const noted = await readOn(unit, span, notedFacts, firstNoted, (skip) =>
      notedIn(place, span, skip),
    )
    const end = Math.min(completed.until, noted.until)
    const facts = [...completed.facts, ...noted.facts]
      .filter((fact) => fact.at < end)
      .sort((a, b) => a.at - b.at)
    unfolded.push({ facts, until: end })
  }
  return unfolded
}

/** Whether anything happened in one of these places from a time until now; another machine may write of times to come. */
export async function hasFactsSince(
  unit: UnitOfWork,
  places: readonly Place[],
  from: number,
): Promise<boolean> {
  const span = { from, until: unit.now + 1 }
  const found = await unit.read(
    places.flatMap((place) => [completedIn(place, span, 0, 1), notedIn(place, span, 0, 1)]),
  )
  return found.some(({ rows }) => rows.length > 0)
}

interface Span {
  readonly from: number
  readonly until: number
}

/** The facts of a first page and those behind it. */
async function readOn(
  unit: UnitOfWork,
  { from, until }: Span,
  factsOf: (found: Found | undefined) => readonly Fact[],
  first: Found | undefined,
  page: (skip: number) => Read,
): Promise<Unfolded> {
  const facts: Fact[] = []
  for (let found = first; ; ) {
    const more = factsOf(found)
    facts.push(...more)
    if (more.length < pageSize) return { facts, until }
    // A slot is folded whole or not at all.
    const reached = slotOf(facts.at(-1)?.at ?? from)
    if (facts.length >= mostFacts && reached > from) return { facts, until: reached }
    const [next] = await unit.read([page(facts.length)])
    found = next
  }
}

function completedIn(
  { applicationId }: Place,
  { from, until }: Span,
  skip: number,
  take = pageSize,
): Read {
  return list(sessions, {
    by: 'byCompletion',
    where: [
      ['applicationId', '=', applicationId],
      ['completedAt', '>=', from],
      ['completedAt', '<', until],
    ],
    skip,
    take,
  })
}

function sessionFacts(found: Found | undefined): readonly Fact[] {
  return many(sessions, found).map(({ row }) => ({
    at: row.completedAt ?? 0,
    activity: activityOf(row),
  }))
}

function notedIn(place: Place, { from, until }: Span, skip: number, take = pageSize): Read {
  return list(occurrences, {
    where: [
      ['tenantId', '=', place.tenantId],
      ['applicationId', '=', place.applicationId],
      ['at', '>=', from],
      ['at', '<', until],
    ],
    skip,
    take,
  })
}

function notedFacts(found: Found | undefined): readonly Fact[] {
  return many(occurrences, found).map(({ row: { at, what, count } }) => ({
    at,
    activity: { ...noActivity, [what]: count },
  }))
}

/** The minutes of a place from a time on. */
export function minutesSince({ tenantId, applicationId }: Place, from: number): Read {
  return list(activityMinutes, {
    where: [
      ['tenantId', '=', tenantId],
      ['applicationId', '=', applicationId],
      ['minute', '>=', from - (from % minuteMs)],
    ],
    take: mostMinutes,
  })
}

/** More than the minutes of the longest window. */
const mostMinutes = 2_000

/** The minutes of a place with its new facts, and what to write of them. */
export function folded(
  place: Place,
  facts: readonly Fact[],
  found: readonly Versioned<ActivityMinute>[],
): { readonly minutes: readonly ActivityMinute[]; readonly puts: readonly Put[] } {
  const before = new Map(found.map((each) => [each.row.minute, each]))
  const after = new Map(found.map(({ row }) => [row.minute, row]))
  const changed = new Set<number>()
  for (const { at, activity } of facts) {
    const minute = at - (at % minuteMs)
    const row = after.get(minute) ?? { ...place, minute, slots: {} }
    const slot = String((slotOf(at) - minute) / slotMs)
    const sum = plus(row.slots[slot] ?? noActivity, activity)
    after.set(minute, { ...row, slots: { ...row.slots, [slot]: sum } })
    changed.add(minute)
  }
  return {
    minutes: [...after.values()],
    puts: [...changed].flatMap((minute) => {
      const row = after.get(minute)
      return row ? [put(activityMinutes, row, before.get(minute) ?? null)] : []
    }),
  }
}

/** The sum of the slots from `from` to before `until`. */
export function activityBetween(
  minutes: readonly ActivityMinute[],
  from: number,
  until: number,
): Activity {
  let sum = noActivity
  for (const { minute, slots } of minutes)
    for (const [slot, activity] of Object.entries(slots)) {
      const at = minute + Number(slot) * slotMs
      if (at >= from && at < until) sum = plus(sum, activity)
    }
  return sum
}
