import type { Inbound, Steps } from '../steps.ts'
import { soundSteps } from '../steps.ts'
import { type BrokenReceiver, faultsOf, macMatches, orElse, timeless, typeOf } from './fault.ts'

const fault = faultsOf('time')
const { authenticate } = soundSteps

/** A reader of the timestamp, whose window is as wide as it should be; NaN is within it where `lax` says so. */
const reading = (
  name: string,
  killedBy: string,
  read: (text: string, now: number) => number,
  lax = false,
): BrokenReceiver =>
  fault(name, killedBy, () => ({
    authenticate: orElse((inbound, around) => {
      const now = Math.floor(around.now() / 1000)
      const age = Math.abs(now - read(inbound.joined['webhook-timestamp'] ?? '', now))
      const near = lax ? !(age > 300) : age <= 300
      return near && macMatches(inbound, around, (entry, expected) => entry === `v1,${expected}`)
    }),
  }))

const noTime = 'timestamp.no-time'
const endless = 'timestamp.endless'
const grammar = 'timestamp.grammar'

const readers: readonly BrokenReceiver[] = [
  reading('takes milliseconds for seconds', noTime, (text) => Number(text) / 1_000),
  reading('guesses at milliseconds', noTime, (text) =>
    Number(text) > 1e11 ? Number(text) / 1_000 : Number(text),
  ),
  reading('takes microseconds for seconds', noTime, (text) => Number(text) / 1e6),
  reading('takes nanoseconds for seconds', noTime, (text) => Number(text) / 1e9),
  reading('keeps the time in 32 bits', noTime, (text) => Number(text) >>> 0),
  reading('keeps the time in 31 bits', noTime, (text) => Number(text) & 0x7fffffff),
  reading('lets what is no number pass', noTime, Number, true),
  reading('reads words as zero and skips zero', noTime, (text, now) => Number(text) || now),
  reading('takes dates', noTime, (text) => Date.parse(text) / 1_000),
  reading('takes a negative time for its amount', noTime, (text) => Math.abs(Number(text))),
  reading('reads the first ten digits', noTime, (text) => Number(text.slice(0, 10))),
  reading('cuts a time of hundreds of digits', endless, (text) =>
    Number(text.length > 300 ? text.slice(0, 10) : text),
  ),
  reading('takes an infinite time for none', endless, (text, now) =>
    Number(text) === Number.POSITIVE_INFINITY && /^\d+$/.test(text) ? now : Number(text),
  ),
  reading('reads the time with parseFloat', grammar, Number.parseFloat),
  reading('reads the time with Number', grammar, Number),
  reading('takes a zero in front', grammar, (text) => (/^0\d+$/.test(text) ? Number(text) : NaN)),
  reading('takes a plus sign', grammar, (text) => (/^\+\d+$/.test(text) ? Number(text) : NaN)),
  reading('takes underscores', grammar, (text) => Number(text.replaceAll('_', ''))),
  reading('takes quotes', grammar, (text) => Number(text.replaceAll('"', ''))),
  reading('takes thousands apart', grammar, (text) => Number(text.replaceAll(',', ''))),
]

const window = (name: string, accept: (age: number, inbound: Inbound) => boolean) =>
  fault(name, 'timestamp.window', () => ({ authenticate: timeless(accept) }))

const hour = 3_600

const windows: readonly BrokenReceiver[] = [
  ...[10 * 60, 15 * 60, hour, 24 * hour, 7 * 24 * hour].map((seconds) =>
    window(`allows ${seconds} s`, (age) => Math.abs(age) <= seconds),
  ),
  window('knows no age', (age) => age > 300),
  window('knows no future', (age) => age < -300),
  window('lets whole hours pass, for time zones', (age) => {
    const off = Math.abs(age) % hour
    return off <= 300 || off >= hour - 300
  }),
  window('compares within the day', (age) => {
    const off = Math.abs(age) % (24 * hour)
    return off <= 300 || off >= 24 * hour - 300
  }),
  ...[10, 60, 120, 200].map((seconds) =>
    fault(`allows no more than ${seconds} s`, 'timestamp.window', () => ({
      authenticate: stricter(seconds),
    })),
  ),
]

function stricter(seconds: number): Steps['authenticate'] {
  return (inbound, around) => {
    const signedAt = Number(inbound.joined['webhook-timestamp'] ?? Number.NaN)
    const age = Math.abs(signedAt - around.now() / 1000)
    return age > seconds ? { ok: false } : authenticate(inbound, around)
  }
}

const byType: readonly BrokenReceiver[] = [
  ['subscription events', /^subscription\./],
  ['verification requests', /^subscription\.verification/],
  ['missed windows', /^subscription\.events_missed/],
  ['continuations', /^review\.continuation/],
  ['decisions', /^review\.case\.decided/],
  ['types that it does not know', /paused|policy|resumed|billing|ping|test/],
].map(([name, type]) =>
  fault(`has no window for ${name}`, 'timestamp.every-type', () => ({
    authenticate: timeless((_, inbound) => (type as RegExp).test(typeOf(inbound))),
  })),
)

/** The age of the event itself, which has nothing to do with its signature. */
const ownTime: readonly BrokenReceiver[] = [
  fault('judges by the time of the event', 'timestamp.every-type', () => ({
    authenticate: timeless((_, { body }) => {
      const time = Date.parse(String(soundSteps.parse(body)?.time))
      return Math.abs(Date.now() - time) < 300_000
    }),
  })),
  ...[5 * 60, 24 * hour].map((seconds) =>
    fault(`refuses events that are older than ${seconds} s`, 'timestamp.late-retry', () => ({
      authenticate(inbound, around) {
        const time = Date.parse(String(soundSteps.parse(inbound.body)?.time))
        return around.now() - time > seconds * 1_000 ? { ok: false } : authenticate(inbound, around)
      },
    })),
  ),
]

export const times: readonly BrokenReceiver[] = [...readers, ...windows, ...byType, ...ownTime]
