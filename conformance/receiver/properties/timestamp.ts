import fc from 'fast-check'
import { anyKey } from '../arbitraries.ts'
import { reviewEvent, unixNow, withHeaders } from '../messages.ts'
import { type Property, property } from '../property.ts'
import { allStored, fail, type Session } from '../session.ts'
import { allTypes, eventOf } from '../types.ts'

const minute = 60
const hour = 60 * minute
const day = 24 * hour

/** Seconds that a limit, a unit or a time zone taken wrong would let pass: one minute to a century. */
const farAway = [
  306,
  330,
  359,
  6 * minute,
  10 * minute - 5,
  10 * minute + 5,
  15 * minute,
  30 * minute,
  hour - 5,
  hour,
  2 * hour,
  5.5 * hour,
  12 * hour,
  day,
  3 * day,
  7 * day,
  30 * day,
  365 * day,
  36_500 * day,
]
const inside = [-294, -240, -120, -61, -31, -5, 0, 5, 31, 61, 120, 240, 294]

const window = property({
  name: 'timestamp.window',
  everyFamily: true,
  promise:
    'a message signed less than five minutes ago or ahead passes, one further away is refused',
  advice:
    'Refuse when |now - webhook-timestamp| is more than 300 seconds, in both directions, and keep the clock of the machine right. Without it whoever captured one delivery can replay it for ever.',
  each: farAway.flatMap((outside) =>
    [false, true].map((ahead) => ({
      inside: inside[outside % inside.length] ?? 0,
      outside,
      ahead,
      key: 0,
    })),
  ),
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
      const message = session.sign(session.event(), { key, timestamp: String(unixNow() + offset) })
      const away = `${Math.abs(offset)} s ${offset < 0 ? 'ago' : 'ahead'}`
      return { ...message, label: `${message.label}, signed ${away}` }
    }
    await session.refuse(send(ahead ? outside : -outside))
    await session.accept(send(inside))
  },
})

const exact = property({
  name: 'timestamp.exact',
  everyFamily: true,
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
      const message = session.sign(session.event(), { key, timestamp: String(seconds) })
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

const everyType = property({
  name: 'timestamp.every-type',
  promise: 'the five minutes hold for every type of event, whatever its own members say of time',
  advice:
    'Check webhook-timestamp before you look at the type: a capture of any type can be replayed. The members `time`, `dueAt` and `expiresAt` say nothing about when a message was signed.',
  each: allTypes.flatMap((type) => [-hour, -10 * minute, hour].map((offset) => ({ type, offset }))),
  async play(session, { type, offset }) {
    const timestamp = String(unixNow() + offset)
    const message = session.sign(eventOf(type), { timestamp })
    const label = `${message.label}, signed ${Math.abs(offset)} s ${offset < 0 ? 'ago' : 'ahead'}`
    await session.refuse({ ...message, label })
    await session.accept(session.sign(eventOf(type)))
  },
})

const lateRetry = property({
  name: 'timestamp.late-retry',
  promise: 'an event whose own time is days away is taken, for a retry is signed anew',
  advice:
    'Compare webhook-timestamp with the clock, never the `time` of the body: retries come for three days with the body as it was first sent.',
  each: [-72 * hour, -day, -hour, -6 * minute, 6 * minute, hour].map((offset) => ({ offset })),
  async play(session, { offset }) {
    const at = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString()
    const event = reviewEvent({
      time: at(offset),
      dueAt: at(offset + day),
      expiresAt: at(offset + 7 * day),
    })
    const message = session.sign(event)
    const label = `${message.label}, of ${Math.abs(offset)} s ${offset < 0 ? 'ago' : 'ahead'}, signed now`
    await session.accept({ ...message, label })
    if (session.target.has.has('stored'))
      await session.settle({ ids: [event.id] }, allStored([event.id]))
  },
})

const wrap = 2 ** 32

/** Texts that are no time of these days, however they are read. */
const noTimes: Readonly<Record<string, (now: number) => string>> = {
  'in milliseconds': (now) => `${now * 1000}`,
  'in milliseconds of now': (now) => `${now * 1000 + 123}`,
  'in microseconds': (now) => `${now}000000`,
  'in nanoseconds': (now) => `${now}000000000`,
  'in minutes': (now) => `${Math.floor(now / 60)}`,
  '2^32 s ahead': (now) => `${now + wrap}`,
  '2 · 2^32 s ahead': (now) => `${now + 2 * wrap}`,
  '2^31 s ahead': (now) => `${now + wrap / 2}`,
  '2^31 s ago': (now) => `${now - wrap / 2}`,
  '2^32 s ago': (now) => `${now - wrap}`,
  '2^53 s ahead': (now) => `${2 ** 53 + now}`,
  '2^64 s ahead': (now) => `${2n ** 64n + BigInt(now)}`,
  'twelve nines': () => '9'.repeat(12),
  zero: () => '0',
  'minus one': () => '-1',
  negative: (now) => `-${now}`,
  NaN: () => 'NaN',
  Infinity: () => 'Infinity',
  '-Infinity': () => '-Infinity',
  '1e999': () => '1e999',
  'a word': () => 'now',
  undefined: () => 'undefined',
  null: () => 'null',
  'an ISO date': (now) => new Date(now * 1000).toISOString(),
  'an HTTP date': (now) => new Date(now * 1000).toUTCString(),
}

const noTime = property({
  name: 'timestamp.no-time',
  promise: 'a timestamp that is no number of seconds near now is refused, though it is signed',
  advice:
    'Match /^[1-9][0-9]{0,11}$/, convert, and demand `Math.abs(now - timestamp) <= 300`, so that what is not a number fails instead of comparing false with every limit. Seconds only, in 64 bits or a double: no guess at milliseconds, no 32-bit integer.',
  quickCases: 'all',
  each: Object.keys(noTimes).flatMap((spelling) =>
    [false, true].map((respelled) => ({ spelling, respelled, key: 0 })),
  ),
  play: (session, history) => refuseSpelled(session, history, noTimes),
})

/** Times of more digits than any clock has; some runtimes refuse to read so many, and drop the connection. */
const endlessTimes: Readonly<Record<string, (now: number) => string>> = {
  'four hundred nines': () => '9'.repeat(400),
  'four thousand and four hundred nines': () => '9'.repeat(4_400),
  'four hundred zeros after it': (now) => `${now}${'0'.repeat(400)}`,
}

const endless = property({
  name: 'timestamp.endless',
  level: 'hardening',
  promise: 'a timestamp of hundreds of digits is refused with an answer',
  advice:
    'Match /^[1-9][0-9]{0,11}$/ before converting, and catch what the conversion throws: a float of 400 digits is infinite, and Python’s int reads no more than 4,300.',
  quickCases: 'all',
  each: Object.keys(endlessTimes).flatMap((spelling) =>
    [false, true].map((respelled) => ({ spelling, respelled, key: 0 })),
  ),
  play: (session, history) => refuseSpelled(session, history, endlessTimes),
})

/** The time of now, spelled as no sender does. */
const spellings: Readonly<Record<string, (now: number) => string>> = {
  '…abc': (now: number) => `${now}abc`,
  '….9': (now: number) => `${now}.9`,
  '….0': (now: number) => `${now}.0`,
  '+…': (now: number) => `+${now}`,
  '0…': (now: number) => `0${now}`,
  '…e0': (now: number) => `${now}e0`,
  '…,0': (now: number) => `${now},0`,
  '… …': (now: number) => `${now} ${now}`,
  '…;x': (now: number) => `${now};x`,
  '…Z': (now: number) => `${now}Z`,
  '…s': (now: number) => `${now}s`,
  '….': (now: number) => `${now}.`,
  '…n': (now: number) => `${now}n`,
  '00…': (now: number) => `00${now}`,
  'in quotes': (now: number) => `"${now}"`,
  'in brackets': (now: number) => `[${now}]`,
  hexadecimal: (now: number) => `0x${now.toString(16)}`,
  octal: (now: number) => `0o${now.toString(8)}`,
  binary: (now: number) => `0b${now.toString(2)}`,
  'with an exponent': (now: number) => `${now / 10}e1`,
  'with underscores': (now: number) => `1_${`${now}`.slice(1)}`,
  'with commas': (now: number) => now.toLocaleString('en-US'),
}

const grammar = property({
  name: 'timestamp.grammar',
  level: 'hardening',
  promise: 'a timestamp that is not plain decimal digits is refused, signed like that or respelled',
  advice:
    'Match /^[1-9][0-9]{0,11}$/ before converting: parseInt reads `1700000000abc`, Number reads `1e9`, Python’s int reads `1_700_000_000`. A library that converts first, as `standardwebhooks` does, gets this check in front of it.',
  quickCases: 'all',
  each: Object.keys(spellings).flatMap((spelling) =>
    [false, true].map((respelled) => ({ spelling, respelled, key: 0 })),
  ),
  play: (session, history) => refuseSpelled(session, history, spellings),
})

async function refuseSpelled(
  session: Session,
  { spelling, respelled, key }: { spelling: string; respelled: boolean; key: number },
  spellings: Readonly<Record<string, (now: number) => string>>,
): Promise<void> {
  const make = spellings[spelling] ?? fail(`no spelling ${spelling}`)
  const now = unixNow()
  const sent = make(now)
  // Whoever captured a message can respell its time without knowing the key.
  const message = session.sign(reviewEvent(), { key, timestamp: respelled ? `${now}` : sent })
  const label = respelled ? `signed at ${now}, sent with` : 'signed with'
  const text = sent.length > 40 ? `${sent.slice(0, 40)}…` : sent
  await session.refuse({
    ...withHeaders(message, { 'webhook-timestamp': sent }),
    label: `${message.label}, ${label} webhook-timestamp: ${text} (${spelling})`,
  })
  await session.accept(session.sign(reviewEvent(), { key }))
}

export const timestamp: readonly Property[] = [
  window,
  everyType,
  lateRetry,
  exact,
  noTime,
  endless,
  grammar,
]
