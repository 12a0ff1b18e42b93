import fc from 'fast-check'
import { anyKey } from '../arbitraries.ts'
import { reviewEvent } from '../messages.ts'
import type { Sighting } from '../probe.ts'
import { type Property, property } from '../property.ts'
import {
  allStored,
  createSession,
  eachOnce,
  effectOf,
  fail,
  isSuccess,
  OutOfTime,
  type Session,
} from '../session.ts'
import { allTypes, eventOf, families, familyOf } from '../types.ts'
import { settled } from './settled.ts'
import { anySize, resumes, underLoad } from './under-load.ts'

const many = (session: Session, count: number) =>
  Array.from({ length: count }, () => session.event())

const burst = property({
  name: 'acknowledgement.burst',
  everyFamily: true,
  share: 2,
  promise: 'under a burst of concurrent deliveries each is answered 2xx within the deadline',
  advice:
    'Do nothing before the answer but verify and store: the handler’s work follows from what is stored. Serve requests side by side (Python’s http.server: ThreadingHTTPServer, or several workers of a WSGI server), store in groups or through a pool, and let no lock span the whole of a request. What is answered late is sent again, on top of the burst.',
  alone: true,
  early: true,
  quickCases: 3,
  each: [1, 4, 16, 50, 100].map((count) => ({ count })),
  async play(session, { count }) {
    const messages = many(session, count).map((event) => session.sign(event))
    const exchanges = await firstFailure(messages.map((message) => session.accept(message)))
    for (const { ms } of exchanges) session.target.tally.burstMs.push(ms)
  },
  // What is left in a queue would make the next, smaller burst late too.
  async restore(target) {
    const session = createSession(target)
    for (let tries = 0; tries < 20 && performance.now() < target.until; tries++) {
      const { status, ms } = await target.client.send(session.sign(reviewEvent()))
      if (status !== null && ms < target.deadlineMs / 2) return
    }
  },
})

/**
 * All answers, or the first that is wrong without waiting for the others, which may be as late as it. One that the
 * machine's lag explains says nothing of those behind it.
 */
async function firstFailure<T>(answers: readonly Promise<T>[]): Promise<readonly T[]> {
  const heldUp: OutOfTime[] = []
  const came = await Promise.all(
    answers.map((answer) =>
      answer.catch((error: unknown) => {
        if (!(error instanceof OutOfTime)) throw error
        heldUp.push(error)
        return null
      }),
    ),
  )
  if (heldUp[0] !== undefined) throw heldUp[0]
  return came.flatMap((one) => (one === null ? [] : [one]))
}

const storedFirst = property({
  name: 'acknowledgement.stored-first',
  everyFamily: true,
  share: 2.5,
  promise: 'when the 2xx arrives, the event is stored already',
  advice:
    'Await the commit, then answer. An answer that is sent first loses every event that a crash or a failing database catches in between, and nobody sends it again.',
  needs: ['stored'],
  each: [
    { count: 1, copies: 1, key: 0 },
    { count: 1, copies: 3, key: 0 },
    { count: 1, copies: 8, key: 0 },
    { count: 5, copies: 2, key: 0 },
  ],
  weight: 0.5,
  histories: fc.record({
    count: fc.integer({ min: 1, max: 5 }),
    copies: fc.integer({ min: 1, max: 3 }),
    key: anyKey,
  }),
  async play(session, { count, copies, key }) {
    const messages = many(session, count).flatMap((event) =>
      Array.from({ length: copies }, () => session.sign(event, { key })),
    )
    await settled(
      messages.map(async (message) => {
        await session.accept(message)
        const seen = await session.read({ ids: [message.id] })
        const problem = allStored([message.id])(seen)
        if (problem === null) return
        session.tell(`read right after the 2xx: ${problem}`)
        fail(problem)
      }),
    )
  },
})

const mostBeforeMs = 2_000
const betweenMs = 250
/** Ms before a kill: work that is put off for longer than lies between two of them is under way at one. */
const momentsMs = [
  ...Array.from({ length: mostBeforeMs / betweenMs + 1 }, (_, at) => at * betweenMs),
  // Most work is taken up at once, and does not last as long.
  ...[15, 60, 125],
]

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

const survivesKill = property({
  name: 'acknowledgement.survives-kill',
  everyFamily: true,
  promise: 'what was answered 2xx is there after a kill, and has its effect',
  advice:
    'Answer after a commit that is synced to disk, and let the work start from the stored events, those of before the restart included.',
  needs: ['stored', 'effects', 'restart'],
  alone: true,
  share: 1.5,
  each: [
    // What is taken up, and done later, is lost by a later kill alone; one wait judges all moments.
    { beforeMs: momentsMs, count: families.length, copies: 1, midway: false, key: 0 },
    { beforeMs: [0], count: 1, copies: 1, midway: true, key: 0 },
    { beforeMs: [0], count: 1, copies: 8, midway: true, key: 0 },
    { beforeMs: [0], count: 6, copies: 1, midway: true, key: 0 },
    { beforeMs: [0], count: 6, copies: 1, midway: false, key: 0 },
  ],
  weight: { times: 4 },
  histories: fc.record({
    beforeMs: fc.oneof(
      // Each moment is waited for, and most faults show in any.
      { weight: 3, arbitrary: fc.constant([0]) },
      fc.array(fc.integer({ min: 0, max: mostBeforeMs }), { minLength: 1, maxLength: 12 }),
    ),
    count: fc.integer({ min: 1, max: 6 }),
    copies: fc.constantFrom<number>(1, 1, 4),
    midway: fc.boolean(),
    key: anyKey,
  }),
  async play(session, { beforeMs, count, copies, midway, key }) {
    const { probe } = session.target
    const answeredAt = new Map<string, number>()
    let first = () => {}
    const anyAnswer = new Promise<void>((resolve) => {
      first = resolve
    })
    const send = () =>
      many(session, count).flatMap((event) =>
        Array.from({ length: copies }, async () => {
          const { status } = await session.post(session.sign(event, { key }), () => null)
          if (status !== null && isSuccess(status)) answeredAt.set(event.id, performance.now())
          first()
        }),
      )
    const sending: Promise<void>[] = []
    const moments = [...beforeMs].sort((a, b) => b - a)
    for (const [at, before] of moments.entries()) {
      sending.push(...send())
      await pause(before - (moments[at + 1] ?? 0))
    }
    await (midway ? anyAnswer : settled(sending))
    const killedAt = performance.now()
    await probe?.restart?.()
    session.tell('the receiver is killed, and started again')
    await settled(sending)
    const ids = [...answeredAt.keys()]
    await session.settle({ ids }, allStored(ids))
    const acted = (seen: Sighting) => {
      const missing = session.acting(ids).find((id) => effectOf(seen, id) === 0)
      if (missing === undefined) return null
      const ms = Math.round(Math.max(0, killedAt - (answeredAt.get(missing) ?? killedAt)))
      return `expected an effect of ${missing}, answered ${ms} ms before the kill, got none`
    }
    await session.settle({ ids }, acted, { afterKill: true })
  },
})

const storeFailure = property({
  name: 'acknowledgement.store-failure',
  everyFamily: true,
  promise: 'an event that can’t be stored is not answered 2xx, and a later try is taken',
  advice:
    'Let an error of the store become a 503. A 2xx tells the sender to forget the event; the next try is free.',
  needs: ['stored', 'effects', 'storeFailure'],
  alone: true,
  each: [
    { count: 1, copies: 1, key: 0 },
    { count: 1, copies: 3, key: 0 },
    { count: 2, copies: 8, key: 0 },
    { count: 4, copies: 1, key: 0 },
  ],
  weight: { times: 3 },
  histories: fc.record({
    count: fc.integer({ min: 1, max: 4 }),
    copies: fc.integer({ min: 1, max: 8 }),
    key: anyKey,
  }),
  async play(session, { count, copies, key }) {
    const { probe } = session.target
    const events = many(session, count)
    await probe?.setStoreFailure?.(true)
    session.tell('the receiver’s store fails')
    // Copies at once: one that finds another under way must not be told that all is well.
    for (const event of events)
      await settled(
        Array.from({ length: copies }, () =>
          session.post(session.sign(event, { key }), ({ status }) => {
            if (status === null || isSuccess(status)) return 'expected an answer that refuses it'
            return status === 410
              ? 'expected anything but 410, which ends deliveries for good'
              : null
          }),
        ),
      )
    await probe?.setStoreFailure?.(false)
    session.tell('the receiver’s store works again')
    for (const event of events) await session.accept(session.sign(event, { key }))
    const ids = events.map(({ id }) => id)
    await session.settle({ ids }, session.eachOnce(ids))
  },
  restore: async ({ probe }) => probe?.setStoreFailure?.(false),
})

const slowHandler = property({
  name: 'acknowledgement.slow-handler',
  everyFamily: true,
  promise: 'the 2xx does not wait for the work, which takes longer than the deadline',
  advice:
    'Answer as soon as the event is stored, and do the work from a queue or from the stored events. After 10 s the sender gives the attempt up and comes again.',
  needs: ['delay'],
  alone: true,
  each: [{ count: families.length, key: 0 }],
  weight: { times: 1 },
  histories: fc.record({ count: fc.integer({ min: 1, max: 4 }), key: anyKey }),
  async play(session, { count, key }) {
    const { probe, deadlineMs } = session.target
    // So far beyond it that a busy machine does not explain it.
    const delay = Math.ceil(deadlineMs * 1.5)
    await probe?.setDelay?.(delay)
    session.tell(`each effect takes ${delay} ms`)
    const messages = many(session, count).map((event) => session.sign(event, { key }))
    await settled(messages.map((message) => session.accept(message)))
  },
  restore: async ({ probe }) => probe?.setDelay?.(0),
})

const subscriptionEffects = property({
  name: 'acknowledgement.subscription-effects',
  level: 'hardening',
  promise: 'what is told about the subscription itself has its effect, once',
  advice:
    'Handle subscription.disabled, subscription.signing_key_rotating and subscription.events_missed like any event: tell somebody. Who hears of none of them learns of lost events from customers.',
  needs: ['stored', 'effects'],
  each: allTypes.filter((type) => familyOf(type) === 'subscription').map((type) => ({ type })),
  async play(session, { type }) {
    const event = eventOf(type)
    await session.accept(session.sign(event))
    await session.settle({ ids: [event.id] }, eachOnce([event.id]))
  },
})

export const acknowledgement: readonly Property[] = [
  burst,
  storedFirst,
  underLoad,
  anySize,
  survivesKill,
  resumes,
  storeFailure,
  slowHandler,
  subscriptionEffects,
]
