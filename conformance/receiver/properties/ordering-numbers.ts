import { compare, type Place } from '../arbitraries.ts'
import { freshId, reviewEvent, short } from '../messages.ts'
import { type Property, property } from '../property.ts'
import { effectOf, fail, type Session } from '../session.ts'

const at = ({ caseVersion, eventSequence }: Place): string => `(${caseVersion}, ${eventSequence})`

const place = (caseVersion: number, eventSequence: number): Place => ({
  caseVersion,
  eventSequence,
})

/** Where a number that is packed, cut, padded or read as text changes its order. */
const borders = [
  9,
  10,
  99,
  100,
  127,
  255,
  256,
  999,
  1_000,
  9_999,
  10_000,
  32_767,
  65_535,
  65_536,
  99_999,
  999_999,
  1_000_000,
  2 ** 24,
  2 ** 31 - 1,
  2 ** 31,
  2 ** 32 - 1,
  2 ** 32,
]

/** Two places of a case, the lower first. */
const pairs: readonly (readonly [Place, Place])[] = borders.flatMap((border) => [
  [place(1, border), place(1, border + 1)] as const,
  [place(border, 1), place(border + 1, 1)] as const,
  // Packed into one number, the sequence of the first reaches into the version of the second.
  [place(1, border + 1), place(2, 1)] as const,
])

async function expectHead(
  session: Session,
  reviewCaseId: string,
  newest: Place & { readonly id: string },
): Promise<void> {
  await session.settle({ ids: [newest.id], reviewCaseIds: [reviewCaseId] }, (seen) => {
    const found = seen.heads?.find((one) => one.reviewCaseId === reviewCaseId)
    if (seen.heads !== undefined && (found === undefined || compare(found, newest) !== 0))
      return `expected the head of case ${short(reviewCaseId)} to be ${at(newest)}, got ${found ? at(found) : 'none'}`
    if (seen.effects !== undefined && effectOf(seen, newest.id) === 0)
      return `expected an effect of the newest event ${at(newest)}, got none`
    return null
  })
}

/** What comes below the head changes nothing. */
async function expectHistory(
  session: Session,
  reviewCaseId: string,
  old: Place & { readonly id: string },
  newest: Place & { readonly id: string },
): Promise<void> {
  const sentinel = reviewEvent()
  await session.accept(session.sign(sentinel))
  await session.settle({ ids: [sentinel.id] }, (seen) =>
    effectOf(seen, sentinel.id) > 0
      ? null
      : `expected an effect of ${short(sentinel.id)}, got none`,
  )
  const seen = await session.read({ ids: [old.id] })
  if (effectOf(seen, old.id) > 0)
    fail(`${at(old)} had an effect after ${at(newest)}, which is newer`)
  await expectHead(session, reviewCaseId, newest)
}

const eventAt = (where: Place, reviewCaseId: string) => ({
  ...reviewEvent({ reviewCaseId, type: 'review.case.assignment_changed' }),
  ...where,
})

const numbers = property({
  name: 'ordering.large-numbers',
  share: 11,
  promise:
    'versions and sequences are compared as whole numbers, however large, and one after the other',
  advice:
    'Keep caseVersion and eventSequence in two 64-bit columns and compare the version, then the sequence: no sum, no packing into one number, no text, no 16 or 32 bits.',
  needs: ['stored', 'effects'],
  each: pairs.flatMap(([lower, higher]) =>
    [false, true].map((reversed) => ({ lower, higher, reversed })),
  ),
  async play(session, { lower, higher, reversed }) {
    const reviewCaseId = freshId('rc')
    const [old, newest] = [eventAt(lower, reviewCaseId), eventAt(higher, reviewCaseId)]
    if (reversed) {
      await session.accept(session.sign(newest))
      await expectHead(session, reviewCaseId, newest)
      await session.accept(session.sign(old))
      await expectHistory(session, reviewCaseId, old, newest)
    } else {
      await session.accept(session.sign(old))
      await session.accept(session.sign(newest))
      await expectHead(session, reviewCaseId, newest)
    }
  },
})

/** Two ids of cases that a careless comparison takes for one. */
const alike: Readonly<Record<string, (id: string) => readonly [string, string]>> = {
  'that differ in their last character': (id) => [`${id.slice(0, -1)}0`, `${id.slice(0, -1)}1`],
  'that differ in the case of one letter': (id) => [`${id.slice(0, -1)}a`, `${id.slice(0, -1)}A`],
  'that differ in the characters of the time': (id) => [
    `${id.slice(0, 5)}a${id.slice(6)}`,
    `${id.slice(0, 5)}b${id.slice(6)}`,
  ],
  'that differ in the middle': (id) => [
    `${id.slice(0, 16)}a${id.slice(17)}`,
    `${id.slice(0, 16)}b${id.slice(17)}`,
  ],
}

const casesApart = property({
  name: 'ordering.cases-apart',
  promise: 'cases whose ids look alike have heads of their own',
  advice: 'Key the head by the whole reviewCaseId, compared as bytes.',
  needs: ['stored', 'effects'],
  each: Object.keys(alike).map((name) => ({ name })),
  async play(session, { name }) {
    const [one, two] = (alike[name] ?? fail(`no pair ${name}`))(freshId('rc'))
    const high = eventAt(place(5, 9), one)
    const low = eventAt(place(1, 1), two)
    for (const event of [high, low]) {
      const message = session.sign(event)
      await session.accept({ ...message, label: `${message.label}, cases ${name}` })
    }
    await expectHead(session, one, high)
    await expectHead(session, two, low)
  },
})

async function afterOthers(session: Session, count: number): Promise<void> {
  const reviewCaseId = freshId('rc')
  const [old, newest] = [eventAt(place(2, 3), reviewCaseId), eventAt(place(4, 6), reviewCaseId)]
  await session.accept(session.sign(newest))
  await expectHead(session, reviewCaseId, newest)
  const others = Array.from({ length: count }, () => session.sign(reviewEvent()))
  await session.flood(others, 'other cases')
  const late = session.sign(old)
  await session.accept({ ...late, label: `${late.label}, after ${count} other cases` })
  await expectHistory(session, reviewCaseId, old, newest)
}

const keepHeads =
  'Keep the head of every case in the database for as long as its events may come: no cache of the cases that moved last.'

const afterMany = property({
  name: 'ordering.after-many',
  share: 3,
  promise: 'the head of a case is known after a hundred other cases',
  advice: keepHeads,
  needs: ['stored', 'effects'],
  quickCases: 1,
  each: [{ count: 12 }, { count: 60 }, { count: 130 }],
  play: (session, { count }) => afterOthers(session, count),
})

const afterThousand = property({
  name: 'ordering.after-thousand',
  share: 6,
  promise: 'the head of a case is known after a thousand other cases',
  advice: keepHeads,
  needs: ['stored', 'effects'],
  alone: true,
  slow: true,
  each: [{ count: 1_100 }],
  play: (session, { count }) => afterOthers(session, count),
})

const restarted = property({
  name: 'ordering.restart',
  promise: 'the head of a case is known after a restart, and a legacy event stays history',
  advice:
    'Keep heads in the database, raised in the transaction that hands an event to its handler.',
  needs: ['stored', 'effects', 'restart'],
  alone: true,
  each: [
    { old: place(1, 1), newest: place(1, 2) },
    { old: place(2, 7), newest: place(3, 1) },
    { old: place(1, 9), newest: place(1, 10) },
  ],
  async play(session, { old, newest }) {
    const reviewCaseId = freshId('rc')
    const [before, after] = [eventAt(newest, reviewCaseId), eventAt(old, reviewCaseId)]
    await session.accept(session.sign(before))
    await expectHead(session, reviewCaseId, before)
    await session.target.probe?.restart?.()
    session.tell('the receiver is restarted')
    await session.accept(session.sign(after))
    await expectHistory(session, reviewCaseId, after, before)
  },
})

export const orderingNumbers: readonly Property[] = [
  numbers,
  casesApart,
  afterMany,
  afterThousand,
  restarted,
]
