import { type Event, reviewEvent } from '../messages.ts'
import { type Property, property } from '../property.ts'
import type { Session } from '../session.ts'
import { familiesOf, familyOf } from '../types.ts'
import { expectOnce, twoOfEach } from './identity.ts'

async function sendOthers(session: Session, count: number): Promise<void> {
  const others = Array.from({ length: count }, () => session.sign(session.event()))
  await session.flood(others, 'other events')
}

/** Some events have their effect, others come between, and copies of the first are still copies. */
async function afterOthers(session: Session, count: number): Promise<void> {
  const events = twoOfEach(session)
  const ids = events.map(({ id }) => id)
  for (const event of events) await session.accept(session.sign(event))
  await session.settle({ ids }, session.eachOnce(ids))
  await sendOthers(session, count)
  for (const event of events) {
    const copy = session.sign(event)
    await session.accept({ ...copy, label: `${copy.label}, a copy after ${count} other events` })
  }
  await expectOnce(session, ids)
}

const keepIds =
  'Keep the ids for good, in the database: no cache of the last hundred or thousand, no set that is emptied, no expiry. Retries come for three days, replays by hand much later.'

const afterMany = property({
  name: 'idempotency.after-many',
  everyFamily: true,
  share: 4,
  promise: 'a copy is known as one after a hundred other events',
  advice: keepIds,
  needs: ['stored', 'effects'],
  quickCases: 1,
  each: [{ count: 12 }, { count: 60 }, { count: 130 }],
  play: (session, { count }) => afterOthers(session, count),
})

const afterThousands = property({
  name: 'idempotency.after-thousand',
  everyFamily: true,
  share: 6,
  promise: 'a copy is known as one after a thousand other events',
  advice: keepIds,
  needs: ['stored', 'effects'],
  alone: true,
  slow: true,
  each: [{ count: 1_100 }],
  play: (session, { count }) => afterOthers(session, count),
})

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const gaps = [30 * second, 2 * minute, 6 * minute, 61 * minute, 25 * hour, 71 * hour]

const afterDays = property({
  name: 'idempotency.after-days',
  everyFamily: true,
  promise: 'a copy is known as one for as long as retries come, three days',
  advice: `${keepIds} An expiry of minutes fits a test; the last retry comes 72 hours after the first.`,
  needs: ['stored', 'effects', 'clock'],
  alone: true,
  each: gaps.map((gap) => ({ gap })),
  async play(session, { gap }) {
    const { probe } = session.target
    const start = Math.floor(Date.now() / 1000) * 1000
    const events = twoOfEach(session)
    const ids = events.map(({ id }) => id)
    const sendAt = async (now: number) => {
      await probe?.setClock?.(now)
      session.tell(`the receiver's clock is set to ${new Date(now).toISOString()}`)
      for (const event of events)
        await session.accept(session.sign(event, { timestamp: String(now / 1000) }))
    }
    await sendAt(start)
    await session.settle({ ids }, session.eachOnce(ids))
    await sendAt(start + gap)
    const sentinel = reviewEvent()
    await session.accept(session.sign(sentinel, { timestamp: String((start + gap) / 1000) }))
    const all = [...ids, sentinel.id]
    await session.settle({ ids: all }, session.eachOnce(all))
  },
  restore: async ({ probe }) => probe?.setClock?.(null),
})

const leastWaitMs = 2_500

const later = property({
  name: 'idempotency.later',
  promise:
    'copies of the first events of a run, one of each family, are known at its end, seconds or a minute later',
  advice: `${keepIds} A set whose entries expire after seconds passes every test that is quick.`,
  needs: ['stored', 'effects'],
  alone: true,
  slow: true,
  each({ tally, types }) {
    const chosen = familiesOf(types)
    return [{ events: tally.firstEvents.filter(({ type }) => chosen.includes(familyOf(type))) }]
  },
  async play(session, { events }: { events: readonly Event[] }) {
    const ids = events.map(({ id }) => id)
    await session.settle({ ids }, session.eachOnce(ids))
    const ageOf = ({ time }: Event) => Date.now() - Date.parse(String(time))
    const passed = Math.min(...events.map(ageOf))
    if (passed < leastWaitMs)
      await new Promise((resolve) => setTimeout(resolve, leastWaitMs - passed))
    for (const event of events) {
      const copy = session.sign(event)
      const age = Math.round(ageOf(event) / 1000)
      await session.accept({ ...copy, label: `${copy.label}, a copy after ${age} s` })
    }
    await expectOnce(session, ids)
  },
})

export const forgetting: readonly Property[] = [afterMany, afterThousands, later, afterDays]
