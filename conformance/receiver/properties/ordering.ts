import fc from 'fast-check'
import { compare, type Place, positions } from '../arbitraries.ts'
import { type Event, freshId, reviewEvent, short } from '../messages.ts'
import { type Property, property } from '../property.ts'
import { effectOf, fail, type Session } from '../session.ts'
import { eventOf } from '../types.ts'
import { orderingNumbers } from './ordering-numbers.ts'
import { settled } from './settled.ts'

type Placed = Event & Place & { readonly reviewCaseId: string }

/** How the times of events, and the ids that begin with them, follow their places; only the places count. */
type Times = 'as placed' | 'reversed' | 'as sent'
const anyTime = fc.constantFrom<Times[]>('as placed', 'reversed', 'as sent')

/** Small ones show most faults in a transcript that can be read at a glance; large ones shrink to them. */
const plan = fc.oneof(
  { withCrossShrink: true },
  {
    weight: 3,
    arbitrary: fc.record({
      cases: positions({ caseVersion: 2, eventSequence: 4, events: 3 }).map((places) => [places]),
      woven: fc.constant(false),
      parallel: fc.constant(false),
      time: anyTime,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      cases: fc.array(positions({ caseVersion: 5, eventSequence: 12, events: 6 }), {
        minLength: 1,
        maxLength: 3,
      }),
      woven: fc.boolean(),
      parallel: fc.boolean(),
      time: anyTime,
    }),
  },
)
/** Cases whose events arrive in any order, one case after the other or woven together. */
type Plan = typeof plan extends fc.Arbitrary<infer T> ? T : never

function eventsOf({ cases, woven, time }: Plan): readonly Placed[] {
  const each = cases.map((places) => {
    const { reviewCaseId } = reviewEvent()
    return places.map((place, sent) => {
      const when = Date.now() - 60_000 + 1_000 * rankOf(place, sent, places, time)
      const named = { id: freshId('evt', when), time: new Date(when).toISOString() }
      const type = typeOf(place)
      return eventOf(type, { ...named, ...place, reviewCaseId }) as unknown as Placed
    })
  })
  if (!woven) return each.flat()
  const longest = Math.max(...each.map(({ length }) => length))
  return Array.from({ length: longest }, (_, at) =>
    each.flatMap((events) => events[at] ?? []),
  ).flat()
}

function rankOf(place: Place, sent: number, places: readonly Place[], time: Times): number {
  if (time === 'as sent') return sent
  const lower = places.filter((other) => compare(other, place) < 0).length
  return time === 'as placed' ? lower : places.length - lower
}

/** Every order of three events of a case, whatever their times say. */
const permutations: readonly Plan[] = [
  [1, 2, 3],
  [1, 3, 2],
  [2, 1, 3],
  [2, 3, 1],
  [3, 1, 2],
  [3, 2, 1],
].flatMap((order) =>
  (['as placed', 'reversed'] as const).map((time) => ({
    cases: [order.map((step) => ({ caseVersion: Math.ceil(step / 2), eventSequence: step }))],
    woven: false,
    parallel: false,
    time,
  })),
)

const typeOf = ({ eventSequence }: Place): string =>
  eventSequence === 1
    ? 'review.case.created'
    : (laterTypes[eventSequence % laterTypes.length] ?? 'review.case.overdue')

const laterTypes = [
  'review.case.assignment_changed',
  'review.case.assignment_changed',
  'review.case.follow_up_required',
  'review.case.decided',
  'review.case.overdue',
] as const

async function deliver(session: Session, history: Plan): Promise<readonly Placed[]> {
  const events = eventsOf(history)
  const send = (event: Placed) => session.accept(session.sign(event))
  if (history.parallel) await settled(events.map(send))
  else for (const event of events) await send(event)
  return events
}

function byCase(events: readonly Placed[]): ReadonlyMap<string, readonly Placed[]> {
  const cases = new Map<string, Placed[]>()
  for (const event of events) {
    const known = cases.get(event.reviewCaseId)
    if (known) known.push(event)
    else cases.set(event.reviewCaseId, [event])
  }
  for (const places of cases.values()) places.sort(compare)
  return cases
}

const acknowledged = property({
  name: 'ordering.acknowledged',
  share: 2.5,
  promise: 'events are answered 2xx in whatever order they come, late and with gaps',
  advice:
    'An event below the head is history: store it and answer 2xx. Do not wait for a missing number, for some steps have no public event.',
  each: permutations,
  histories: plan,
  async play(session, history) {
    await deliver(session, history)
  },
})

const head = property({
  name: 'ordering.head',
  share: 5,
  promise: 'the head of a case is the highest (caseVersion, eventSequence), whatever came last',
  advice:
    'Update the head only when (caseVersion, then eventSequence) is higher than the stored one, in one atomic statement. The order of arrival and the time of an event say nothing.',
  needs: ['stored', 'heads'],
  weight: 2,
  each: permutations,
  histories: plan,
  async play(session, history) {
    const cases = byCase(await deliver(session, history))
    const wrong = (seen: { heads?: readonly (Place & { reviewCaseId: string })[] | undefined }) => {
      for (const [reviewCaseId, events] of cases) {
        const highest = events.at(-1) ?? fail('a case without events')
        const found = (seen.heads ?? []).find((one) => one.reviewCaseId === reviewCaseId)
        if (found === undefined || compare(found, highest) !== 0)
          return `expected the head of case ${short(reviewCaseId)} to be ${at(highest)}, got ${found ? at(found) : 'none'}`
      }
      return null
    }
    await session.settle({ reviewCaseIds: [...cases.keys()] }, wrong)
  },
})

const at = ({ caseVersion, eventSequence }: Place): string => `(${caseVersion}, ${eventSequence})`

const effects = property({
  name: 'ordering.effects',
  share: 5,
  promise: 'effects of a case never run backwards, and the newest event always has its effect',
  advice:
    'Act on an event only when it raised the head of its case, and one event of a case at a time. An approval that is acted on after its cancellation is the failure that this prevents.',
  needs: ['stored', 'effects'],
  weight: 2,
  each: permutations,
  histories: plan,
  async play(session, history) {
    const events = await deliver(session, history)
    const cases = byCase(events)
    const ids = events.map(({ id }) => id)
    const seen = await session.settle({ ids }, (sighting) => {
      for (const places of cases.values()) {
        const newest = places.at(-1)
        if (newest && effectOf(sighting, newest.id) === 0)
          return `expected an effect of the newest event ${short(newest.id)} ${at(newest)}, got none`
      }
      return null
    })
    for (const places of cases.values()) {
      const acted = (seen.effects ?? []).flatMap(({ id, count }) =>
        count > 0 ? places.filter((place) => place.id === id) : [],
      )
      for (const [index, later] of acted.entries()) {
        const earlier = acted[index - 1]
        if (earlier && compare(earlier, later) > 0)
          fail(`the effect of ${at(later)} came after that of ${at(earlier)}, which is newer`)
        if (effectOf(seen, later.id) > 1)
          fail(`expected at most one effect of ${at(later)}, got ${effectOf(seen, later.id)}`)
      }
    }
  },
})

export const ordering: readonly Property[] = [acknowledged, head, effects, ...orderingNumbers]
