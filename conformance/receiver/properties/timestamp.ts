import fc from 'fast-check'
import { anyKey } from '../arbitraries.ts'
import { reviewEvent, unixNow, withHeaders } from '../messages.ts'
import { type Property, property } from '../property.ts'
import { fail } from '../session.ts'

const window = property({
  name: 'timestamp.window',
  promise:
    'a message signed less than five minutes ago or ahead passes, one further away is refused',
  advice:
    'Refuse when |now - webhook-timestamp| is more than 300 seconds, in both directions, and keep the clock of the machine right. Without it whoever captured one delivery can replay it for ever.',
  histories: fc.record({
    inside: fc.integer({ min: -295, max: 295 }),
    outside: fc.oneof(
      fc.integer({ min: 305, max: 900 }),
      fc.integer({ min: 305, max: 400_000_000 }),
    ),
    ahead: fc.boolean(),
    key: anyKey,
  }),
  async play(session, { inside, outside, ahead, key }) {
    const send = (offset: number) => {
      const message = session.sign(reviewEvent(), { key, timestamp: String(unixNow() + offset) })
      const away = `${Math.abs(offset)} s ${offset < 0 ? 'ago' : 'ahead'}`
      return { ...message, label: `${message.label}, signed ${away}` }
    }
    await session.refuse(send(ahead ? outside : -outside))
    await session.accept(send(inside))
  },
})

const exact = property({
  name: 'timestamp.exact',
  promise: 'a difference of exactly 300 s passes, 301 s is refused, and a capture expires',
  advice: 'Compare whole seconds: refuse when the difference is greater than 300.',
  needs: ['clock'],
  alone: true,
  weight: { times: 20 },
  histories: fc.record({
    start: fc.integer({ min: 1_700_000_000, max: 1_900_000_000 }),
    key: anyKey,
  }),
  async play(session, { start, key }) {
    const setClock = async (seconds: number) => {
      await session.target.probe?.setClock?.(seconds * 1000)
      session.tell(`the receiver's clock is set to ${seconds}`)
    }
    const at = (seconds: number) => {
      const message = session.sign(reviewEvent(), { key, timestamp: String(seconds) })
      return { ...message, label: `${message.label}, signed at ${seconds}` }
    }
    await setClock(start)
    for (const offset of [-300, 300]) await session.accept(at(start + offset))
    for (const offset of [-301, 301]) await session.refuse(at(start + offset))
    const captured = at(start)
    await session.accept(captured)
    await setClock(start + 360)
    await session.refuse({ ...captured, label: `${captured.label}, once more` }, { known: true })
  },
  restore: async ({ probe }) => probe?.setClock?.(null),
})

const spellings = {
  '…abc': (now: string) => `${now}abc`,
  '….9': (now: string) => `${now}.9`,
  '….0': (now: string) => `${now}.0`,
  '+…': (now: string) => `+${now}`,
  '-…': (now: string) => `-${now}`,
  '0…': (now: string) => `0${now}`,
  '…e0': (now: string) => `${now}e0`,
  '…,0': (now: string) => `${now},0`,
  '… …': (now: string) => `${now} ${now}`,
  hexadecimal: (now: string) => `0x${Number(now).toString(16)}`,
  'with underscores': (now: string) => `${now.slice(0, 1)}_${now.slice(1)}`,
  'as an ISO date': (now: string) => new Date(Number(now) * 1000).toISOString(),
  NaN: () => 'NaN',
  Infinity: () => 'Infinity',
} as const

const grammar = property({
  name: 'timestamp.grammar',
  promise: 'a timestamp that is not plain decimal digits is refused, signed like that or respelled',
  advice:
    'Match /^[1-9][0-9]{0,11}$/ before converting. parseInt reads `1700000000abc`, Number reads `1e9`, and what is not a number compares false with every limit.',
  histories: fc.record({
    spelling: fc.constantFrom(...(Object.keys(spellings) as (keyof typeof spellings)[])),
    respelled: fc.boolean(),
    key: anyKey,
  }),
  async play(session, { spelling, respelled, key }) {
    const make = spellings[spelling] ?? fail(`no spelling ${spelling}`)
    const now = String(unixNow())
    const sent = make(now)
    // Whoever captured a message can respell its time without knowing the key.
    const message = session.sign(reviewEvent(), { key, timestamp: respelled ? now : sent })
    const label = respelled ? `signed at ${now}, sent with` : 'signed with'
    await session.refuse({
      ...withHeaders(message, { 'webhook-timestamp': sent }),
      label: `${message.label}, ${label} webhook-timestamp: ${sent}`,
    })
    await session.accept(session.sign(reviewEvent(), { key }))
  },
})

export const timestamp: readonly Property[] = [window, exact, grammar]
