import { comparePositions } from '@countersign/core/events'
import type { Head } from '../disk.ts'
import type { HeadStore, Steps } from '../steps.ts'
import { soundSteps } from '../steps.ts'
import { type BrokenReceiver, faultsOf } from './fault.ts'

const fault = faultsOf('order arithmetic')

/** Compares places by numbers or texts that are made of them. */
const by = <T extends number | string>(
  name: string,
  killedBy: string,
  rank: (place: Head) => T,
): BrokenReceiver =>
  fault(`orders by ${name}`, killedBy, () => ({
    newer: (place, head) => head === undefined || rank(place) > rank(head),
  }))

/** The same for the two numbers one after the other, each of them as `make` leaves it. */
const each = <T extends number | string>(
  name: string,
  make: (value: number) => T,
): BrokenReceiver =>
  fault(`keeps versions and sequences ${name}`, 'ordering.large-numbers', () => ({
    newer: (place, head) => {
      if (head === undefined) return true
      const [one, other] = [make(place.caseVersion), make(head.caseVersion)]
      if (one !== other) return one > other
      return make(place.eventSequence) > make(head.eventSequence)
    },
  }))

const large = 'ordering.large-numbers'

const packed: readonly BrokenReceiver[] = [
  ...[10, 100, 256, 1_000, 10_000, 65_536, 1e6].map((factor) =>
    by(
      `version times ${factor} and sequence`,
      large,
      ({ caseVersion, eventSequence }) => caseVersion * factor + eventSequence,
    ),
  ),
  by(
    'version shifted by 8 bits and sequence',
    large,
    ({ caseVersion, eventSequence }) => (caseVersion << 8) | eventSequence,
  ),
  by('version as a number before the point', large, ({ caseVersion, eventSequence }) =>
    Number(`${caseVersion}.${eventSequence}`),
  ),
  by('the sum of both', large, ({ caseVersion, eventSequence }) => caseVersion + eventSequence),
  by(
    'the text of both',
    large,
    ({ caseVersion, eventSequence }) => `${caseVersion}.${eventSequence}`,
  ),
]

const kept: readonly BrokenReceiver[] = [
  each('as text', String),
  ...[2, 3, 4, 6].map((digits) =>
    each(`as text padded to ${digits} digits`, (value) => String(value).padStart(digits, '0')),
  ),
  ...[2, 4, 6].map((digits) => each(`cut to ${digits} digits`, (value) => value % 10 ** digits)),
  each('in 8 bits', (value) => value & 0xff),
  each('in 16 bits', (value) => value & 0xffff),
  each('in 16 bits with a sign', (value) => (value << 16) >> 16),
  each('in 32 bits', (value) => value >>> 0),
  each('in 32 bits with a sign', (value) => value | 0),
  each('as 32-bit floats', Math.fround),
  each('up to 999', (value) => Math.min(value, 999)),
  each('up to 2^31 - 1', (value) => Math.min(value, 2 ** 31 - 1)),
]

/** The members of a place that are no part of `Head` come by the message. */
const withOwn = (
  name: string,
  killedBy: string,
  rank: (own: { readonly id: string; readonly time: string }) => string,
): BrokenReceiver =>
  fault(`orders by ${name}`, killedBy, () => {
    const ranks = new WeakMap<Head, string>()
    return {
      placeOf(message) {
        const place = soundSteps.placeOf(message)
        if (place !== null) ranks.set(place, rank({ id: message.id, time: String(message.time) }))
        return place
      },
      newer: (place, head) =>
        head === undefined || (ranks.get(place) ?? '') > (ranks.get(head) ?? ''),
    }
  })

const others: readonly BrokenReceiver[] = [
  by('the sequence alone', large, ({ eventSequence }) => eventSequence),
  by('the version alone, ', 'ordering.head', ({ caseVersion }) => caseVersion),
  withOwn('the time of the event', 'ordering.head', ({ time }) => time),
  withOwn('the id of the event', 'ordering.head', ({ id }) => id),
]

/** Heads that are kept somewhere else than on the disk. */
const keeping = (
  name: string,
  killedBy: string,
  makeHeads: () => HeadStore,
  perLife = false,
): BrokenReceiver =>
  fault(name, killedBy, () => {
    let heads = makeHeads()
    let life: object | null = null
    const steps: Partial<Steps> = {
      heads(around) {
        if (perLife && life !== around) heads = makeHeads()
        life = around
        return {
          get: (id) => heads.get(id),
          set(id, head) {
            heads.set(id, head)
            // The probe shows what is on the disk.
            around.disk.heads.set(id, head)
          },
        }
      },
    }
    return steps
  })

function lastHeads(most: number): HeadStore {
  const heads = new Map<string, Head>()
  return {
    get: (id) => heads.get(id),
    set(id, head) {
      heads.delete(id)
      heads.set(id, head)
      const [oldest] = heads.keys()
      if (heads.size > most && oldest !== undefined) heads.delete(oldest)
    },
  }
}

function headsBy(keyOf: (id: string) => string): HeadStore {
  const heads = new Map<string, Head>()
  return {
    get: (id) => heads.get(keyOf(id)),
    set: (id, head) => heads.set(keyOf(id), head),
  }
}

const stores: readonly BrokenReceiver[] = [
  keeping('keeps heads in memory', 'ordering.restart', () => new Map(), true),
  ...[5, 10, 50, 100].map((most) =>
    keeping(`keeps the heads of the last ${most} cases`, 'ordering.after-many', () =>
      lastHeads(most),
    ),
  ),
  ...[256, 500, 1_000].map((most) =>
    keeping(`keeps the heads of the last ${most} cases`, 'ordering.after-thousand', () =>
      lastHeads(most),
    ),
  ),
  ...[12, 20, 27].map((length) =>
    keeping(`keeps heads by the first ${length} characters of a case`, 'ordering.cases-apart', () =>
      headsBy((id) => id.slice(0, length)),
    ),
  ),
  keeping('keeps heads by cases in lower case', 'ordering.cases-apart', () =>
    headsBy((id) => id.toLowerCase()),
  ),
  keeping('keeps one head for all cases', 'ordering.cases-apart', () => headsBy(() => '')),
]

/** Raises the head whatever came, though it acts on what is newer alone. */
const raised = fault('lowers a head that was raised', 'ordering.effects', () => {
  const highest = new Map<string, Head>()
  return {
    newer(place, head) {
      const before = highest.get(place.reviewCaseId)
      highest.set(place.reviewCaseId, place)
      return before === undefined || head === undefined || comparePositions(place, before) > 0
    },
  }
})

export const arithmetic: readonly BrokenReceiver[] = [
  ...packed,
  ...kept,
  ...others,
  ...stores,
  raised,
]
