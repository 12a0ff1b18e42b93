import type { Sighting } from '../probe.ts'
import { type Property, property } from '../property.ts'
import { allStored, fail, isSuccess, outcome, type Session } from '../session.ts'

const many = (session: Session, count: number) =>
  Array.from({ length: count }, () => session.event())

export const underLoad: Property = property({
  name: 'acknowledgement.under-load',
  everyFamily: true,
  share: 4,
  promise:
    'what is answered 2xx is stored and has its effect, however many deliveries are under way',
  advice:
    'Never answer 2xx for what only waits in memory, and least of all when there is much of it: where a queue or a pool is full, answer 503 and the sender comes again.',
  needs: ['stored', 'effects'],
  alone: true,
  quickCases: 2,
  each: [8, 30, 100, 300].map((count) => ({ count })),
  async play(session, { count }) {
    const events = many(session, count)
    const refused: typeof events = []
    session.tell(`${count} deliveries at once, each read at its 2xx`)
    await session.together(
      events.map((event) => session.sign(event)),
      async ({ id, label }, exchange) => {
        if (exchange.status === null || !isSuccess(exchange.status)) {
          const event = events.find((one) => one.id === id)
          if (event !== undefined) refused.push(event)
          return
        }
        const problem = allStored([id])(await session.read({ ids: [id] }))
        if (problem !== null)
          fail(`${label}, among ${count} at once, answered ${outcome(exchange)}: ${problem}`)
      },
    )
    if (refused.length > 0) session.tell(`${refused.length} were refused, and come again`)
    for (const event of refused) await session.accept(session.sign(event))
    const ids = events.map(({ id }) => id)
    await session.settle({ ids }, session.eachOnce(ids))
  },
})

const large = [70_000, 102_000, 132_000, 263_000, 525_000, 900_000]

export const anySize: Property = property({
  name: 'acknowledgement.any-size',
  everyFamily: true,
  share: 2,
  promise: 'an event of any size that is answered 2xx is stored and has its effect',
  advice:
    'What is too large for the store is refused (413), never acknowledged: a column that cuts, a message broker’s limit or a swallowed error of a parser loses the event without a word.',
  needs: ['stored', 'effects'],
  each: [1_000, 8_000, 17_000, 33_000, 60_000, ...large].map((bytes) => ({ bytes })),
  async play(session, { bytes }) {
    const event = session.event({ labels: 'x'.repeat(bytes) })
    const message = session.sign(event)
    const { status } = await session.post(
      { ...message, label: `${message.label}, ${message.body.length} bytes` },
      (exchange) =>
        exchange.status !== null && exchange.status >= 500 ? 'expected 2xx or 4xx' : null,
    )
    if (status !== null && isSuccess(status))
      await session.settle({ ids: [event.id] }, session.eachOnce([event.id]))
    await session.accept(session.sign(session.event()))
  },
})

const workMs = 5_000

export const resumes: Property = property({
  name: 'acknowledgement.resumes',
  everyFamily: true,
  share: 2,
  promise: 'after a kill every event that was not handled yet is handled, however many there are',
  advice:
    'At start take up everything that is stored and not handled, page after page: no list of the last few, no limit without a next page, no age beyond which an event counts as done.',
  needs: ['stored', 'effects', 'restart', 'delay'],
  alone: true,
  slow: true,
  each: [12, 60, 120].map((count) => ({ count })),
  async play(session, { count }) {
    const { probe } = session.target
    await probe?.setDelay?.(workMs)
    session.tell(`each effect takes ${workMs} ms`)
    const events = many(session, count)
    await session.flood(
      events.map((event) => session.sign(event)),
      'events',
    )
    // The killed process took its slowness with it, so that what is left is worked off soon.
    await probe?.setDelay?.(0)
    await probe?.restart?.()
    session.tell('the receiver is killed and started again, no longer slow')
    const ids = events.map(({ id }) => id)
    const allActed = (seen: Sighting) => {
      const acted = new Set(
        (seen.effects ?? []).flatMap(({ id, count: times }) => (times > 0 ? [id] : [])),
      )
      const missing = session.acting(ids).filter((id) => !acted.has(id))
      return missing.length === 0
        ? null
        : `expected an effect of each of ${count} events, ${missing.length} had none`
    }
    await session.settle({ ids }, allActed, { afterKill: true })
  },
  restore: async ({ probe }) => probe?.setDelay?.(0),
})
