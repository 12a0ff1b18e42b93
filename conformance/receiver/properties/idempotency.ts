import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { anyKey, plainMembers } from '../arbitraries.ts'
import { type Event, labelOf, reviewEvent } from '../messages.ts'
import { type Property, property } from '../property.ts'
import { allStored, fail, isSuccess, type Session } from '../session.ts'
import { eventOf, families, familiesOf, typeOf } from '../types.ts'
import { forgetting } from './forgetting.ts'
import { expectOnce, identity, twoOfEach } from './identity.ts'
import { settled } from './settled.ts'

const members = {
  copies: fc.integer({ min: 2, max: 6 }),
  parallel: fc.boolean(),
  members: plainMembers,
  key: anyKey,
}
const plan = fc.record(members)
type Plan = typeof plan extends fc.Arbitrary<infer T> ? T : never

/** Of every family one after the other and all at once, for they are of each in turn. */
const inTurn: readonly Plan[] = [false, true].flatMap((parallel) =>
  families.map(() => ({ copies: 2, parallel, members: {}, key: 0 })),
)

/** Every copy is signed anew, as each attempt of a sender is. */
async function sendCopies(
  session: Session,
  event: Event,
  { copies, parallel, key }: Pick<Plan, 'copies' | 'parallel' | 'key'>,
): Promise<void> {
  const send = (copy: number) => {
    const message = session.sign(event, { key })
    const together = parallel ? ', all at once' : ''
    return session.accept({ ...message, label: `${message.label}, copy ${copy}${together}` })
  }
  if (parallel && copies > fewCopies) return sendTogether(session, event, copies)
  const numbers = Array.from({ length: copies }, (_, at) => at + 1)
  if (parallel) await settled(numbers.map(send))
  else for (const copy of numbers) await send(copy)
}

const fewCopies = 8

/** So many copies that they are all under way at once; those that are refused come again, as a sender would. */
async function sendTogether(session: Session, event: Event, copies: number): Promise<void> {
  session.tell(`${copies} copies of ${labelOf(event)}, all at once`)
  const messages = Array.from({ length: copies }, () => session.sign(event))
  const exchanges = await session.together(messages)
  if (exchanges.every(({ status }) => status === null || !isSuccess(status)))
    await session.accept(session.sign(event))
}

const acknowledged = property({
  name: 'idempotency.acknowledged',
  everyFamily: true,
  promise: 'every copy of an event is answered 2xx, one after the other and all at once',
  advice:
    'A copy is no error: answer 2xx and stop. Whatever else is retried, for the sender can’t know that the first one arrived.',
  each: inTurn,
  histories: plan,
  play: (session, history) => sendCopies(session, session.event(history.members), history),
})

const oneEffect = property({
  name: 'idempotency.one-effect',
  everyFamily: true,
  share: 9,
  promise: 'however many copies come, at once or later, an event is stored once and acted on once',
  advice:
    'Insert the id under a unique key and act only when the insert was new. To look whether it is there and then insert lets two copies through that arrive together.',
  needs: ['stored', 'effects'],
  weight: 2,
  quickCases: 3,
  each: [
    [2, true],
    [2, false],
    [3, true],
    [9, true],
    [31, true],
    [101, true],
  ].map(([copies, parallel]) => ({
    plans: [{ copies: Number(copies), parallel: Boolean(parallel), members: {}, key: 0 }],
    later: 1,
  })),
  histories: fc.oneof(
    { withCrossShrink: true },
    {
      weight: 1,
      arbitrary: fc.record({
        plans: fc
          .record({ ...members, copies: fc.integer({ min: 2, max: 4 }) })
          .map((one) => [one]),
        later: fc.constant(0),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        plans: fc.array(plan, { minLength: 1, maxLength: 3 }),
        later: fc.nat(2),
      }),
    },
  ),
  async play(session, { plans, later }) {
    const events = plans.map(({ members }) => session.event(members))
    const ids = events.map(({ id }) => id)
    for (const [at, event] of events.entries()) {
      const one = plans[at]
      if (one !== undefined) await sendCopies(session, event, one)
    }
    await session.settle({ ids }, session.eachOnce(ids))
    const [first] = events
    if (first !== undefined && later > 0)
      await sendCopies(session, first, { copies: later, parallel: false, key: 0 })
    const sentinel = reviewEvent()
    await session.accept(session.sign(sentinel))
    await session.settle({ ids: [...ids, sentinel.id] }, session.eachOnce([...ids, sentinel.id]))
  },
})

const restarted = property({
  name: 'idempotency.restart',
  everyFamily: true,
  promise: 'a copy that comes after a restart is known as one',
  advice:
    'Keep the ids in the database, in the transaction that keeps the event, not in memory: retries come for three days, replays later still.',
  needs: ['stored', 'effects', 'restart'],
  alone: true,
  weight: { times: 5 },
  histories: plan,
  async play(session, history) {
    const events = twoOfEach(session, history.members)
    const ids = events.map(({ id }) => id)
    for (const event of events) await session.accept(session.sign(event, history))
    await session.settle({ ids }, session.eachOnce(ids))
    await session.target.probe?.restart?.()
    session.tell('the receiver is restarted')
    await session.settle({ ids }, allStored(ids))
    for (const event of events)
      await sendCopies(session, event, { ...history, copies: history.copies - 1 })
    await expectOnce(session, ids)
  },
})

const otherBody = property({
  name: 'idempotency.other-body',
  promise: 'another body under a known id is answered 2xx, and the first one stays',
  advice:
    'The id decides, not the content: do not overwrite what is stored, answer 2xx, and log the difference.',
  needs: ['stored', 'effects'],
  each: ({ types }) =>
    familiesOf(types).flatMap((family) =>
      (family === 'review' ? [0, 1, 2, 3] : [0]).map((ahead) => ({ family, ahead, key: 0 })),
    ),
  async play(session, { family, key, ahead }) {
    const first =
      family === 'review'
        ? reviewEvent({ type: 'review.case.decided', decision: 'rejected' })
        : eventOf(typeOf(session.target.types, family))
    const place = { caseVersion: 1 + ahead, eventSequence: 1 + ahead }
    const other = {
      ...first,
      note: 'another',
      ...(family === 'review' && { decision: 'approved', ...place }),
    }
    const ids = [first.id]
    const reviewCaseIds = family === 'review' ? [String(first.reviewCaseId)] : []
    const message = session.sign(first, { key })
    await session.accept(message)
    await session.settle({ ids }, session.eachOnce(ids))
    const changed = session.sign(other, { key })
    await session.accept({ ...changed, label: `${changed.label}, the same id with another body` })
    const sentinel = reviewEvent()
    await session.accept(session.sign(sentinel, { key }))
    const asked = { ids: [...ids, sentinel.id], reviewCaseIds }
    const seen = await session.settle(asked, session.eachOnce(asked.ids))
    const kept = seen.stored.find(({ id }) => id === first.id)?.sha256
    if (kept !== undefined && kept !== createHash('sha256').update(message.body).digest('hex'))
      fail('expected the first body to stay, another one is stored')
    const head = seen.heads?.find(({ reviewCaseId }) => reviewCaseId === first.reviewCaseId)
    if (head !== undefined && (head.caseVersion !== 1 || head.eventSequence !== 1))
      fail(`expected the head to stay at (1, 1), got (${head.caseVersion}, ${head.eventSequence})`)
  },
})

export const idempotency: readonly Property[] = [
  acknowledged,
  oneEffect,
  ...identity,
  otherBody,
  ...forgetting,
  restarted,
]
