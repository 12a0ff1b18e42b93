import { soundSteps } from '../steps.ts'
import type { BrokenReceiver } from './fault.ts'
import { authenticateAs, faultsOf, macMatches, orElse, withJoined } from './fault.ts'

const compare = faultsOf('partial comparison')
const spoil = faultsOf('bytes that are not the body')

const bytes = (base64: string): Buffer => Buffer.from(base64, 'base64')

/** Whether the bytes of both agree where `at` says so, and the lengths fit. */
const agree = (given: string, expected: string, at: (index: number) => boolean): boolean => {
  const [one, other] = [bytes(given), bytes(expected)]
  return (
    one.length === other.length && one.every((byte, index) => !at(index) || byte === other[index])
  )
}

/** Comparisons of a MAC that look at a part of it, and the property that tells. */
const partial: readonly (readonly [
  name: string,
  killedBy: string,
  equal: (given: string, expected: string) => boolean,
])[] = [
  ['all but the last byte', 'signature.altered', (a, b) => agree(a, b, (at) => at < 31)],
  ['all but the first byte', 'signature.altered', (a, b) => agree(a, b, (at) => at > 0)],
  ['the first 16 bytes', 'signature.altered', (a, b) => agree(a, b, (at) => at < 16)],
  ['the first 30 bytes', 'signature.altered', (a, b) => agree(a, b, (at) => at < 30)],
  ['the last 8 bytes', 'signature.altered', (a, b) => agree(a, b, (at) => at >= 24)],
  ['the last byte alone', 'signature.altered', (a, b) => agree(a, b, (at) => at === 31)],
  ['every second byte', 'signature.altered', (a, b) => agree(a, b, (at) => at % 2 === 0)],
  ['all but the middle', 'signature.altered', (a, b) => agree(a, b, (at) => at < 15 || at > 17)],
  ['the lengths', 'signature.altered', (a, b) => a.length === b.length],
  ['without case', 'signature.altered', (a, b) => a.toLowerCase() === b.toLowerCase()],
  ['the length of the shorter', 'signature.malformed', (a, b) => b.startsWith(a)],
  ['the end of the longer', 'signature.malformed', (a, b) => b.endsWith(a)],
  ['whether one has the other', 'signature.malformed', (a, b) => b.includes(a)],
  ['whether it begins right', 'signature.malformed', (a, b) => a.startsWith(b)],
  [
    'without padding',
    'signature.malformed',
    (a, b) => a.replaceAll('=', '') === b.replaceAll('=', ''),
  ],
  ['what base64 makes of it', 'signature.malformed', (a, b) => bytes(a).equals(bytes(b))],
]

export const comparisons: readonly BrokenReceiver[] = partial.map(([name, killedBy, equal]) =>
  compare(`compares ${name}`, killedBy, () => ({
    authenticate: orElse((inbound, around) => {
      const near = Math.abs(Number(inbound.joined['webhook-timestamp']) - around.now() / 1000)
      if (!(near <= 300)) return false
      return macMatches(
        inbound,
        around,
        (entry, expected) => entry.startsWith('v1,') && equal(entry.slice(3), expected),
      )
    }),
  })),
)

/** What is done to a body before it is verified. */
const changes: Readonly<Record<string, (text: string) => string>> = {
  trimmed: (text) => text.trim(),
  'without its byte order mark': (text) => text.replace(/^\uFEFF/, ''),
  'without line feeds at its end': (text) => text.replace(/[\r\n]+$/, ''),
  'up to its first NUL': (text) => text.split('\0')[0] ?? '',
  'in composed characters': (text) => text.normalize('NFC'),
  'as it would serialize it': (text) => JSON.stringify(JSON.parse(text)),
}

/** Takes what the sound check takes, and what it takes of a body that was changed first. */
export const otherBytes: readonly BrokenReceiver[] = Object.entries(changes).map(([name, change]) =>
  spoil(`verifies the body ${name}`, 'signature.raw-bytes', () => ({
    authenticate(inbound, around) {
      const proof = soundSteps.authenticate(inbound, around)
      if (proof.ok) return proof
      try {
        const body = Buffer.from(change(Buffer.from(inbound.body).toString('utf8')))
        return soundSteps.authenticate({ ...inbound, body }, around)
      } catch {
        return proof
      }
    },
    parse(body) {
      const message = soundSteps.parse(body)
      const text = Buffer.from(body).toString('utf8')
      return message ?? soundSteps.parse(Buffer.from(text.replaceAll('\0', '')))
    },
  })),
)

/** What is done to a header before it is verified: a repeated one is taken for its first or last value. */
export const otherHeaders: readonly BrokenReceiver[] = (['first', 'last'] as const).map((which) =>
  spoil(`takes the ${which} of repeated headers`, 'signature.repeated-header', () => ({
    authenticate: authenticateAs((inbound) =>
      withJoined(
        inbound,
        Object.fromEntries(
          ['webhook-id', 'webhook-timestamp', 'webhook-signature'].flatMap((name) => {
            const value = inbound.joined[name]
            const index = which === 'first' ? 0 : -1
            return value === undefined ? [] : [[name, value.split(', ').at(index) ?? '']]
          }),
        ),
      ),
    ),
  })),
)
