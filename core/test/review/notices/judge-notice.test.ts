import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { reviewMailMs } from '../../../kernel/ledger/limits.ts'
import { judgeNotice, type ReviewMails, type Untold } from '../../../review/notices/machine.ts'

type Judge = typeof judgeNotice

const minute = 60_000

interface Item {
  readonly openedAt: number
  /** The mails of each reviewer when it opened. */
  readonly before: ReadonlyMap<string, number>
  due: number | null
  state: Untold | null
}

/** Plays openings at these minutes before these reviewers; answers when each was mailed, and what was owed. */
function played(judge: Judge, openings: readonly number[], people: readonly string[]) {
  const mails = new Map<string, ReviewMails>(
    people.map((memberId) => [memberId, { lastAt: null, count: 0 }]),
  )
  const sent = people.map((memberId) => ({ memberId, at: [] as number[] }))
  const items: Item[] = []
  const waiting = openings.toSorted((a, b) => a - b).map((at) => at * minute)
  const end = (waiting.at(-1) ?? 0) + 3 * reviewMailMs
  for (let now = 0; now <= end; now += minute) {
    while (waiting[0] !== undefined && waiting[0] <= now) {
      waiting.shift()
      const before = new Map([...mails].map(([id, { count }]) => [id, count]))
      items.push({ openedAt: now, before, due: now, state: null })
    }
    for (const item of items) {
      if (item.due === null || item.due > now) continue
      const reviewers = [...mails].map(([memberId, own]) => ({ memberId, ...own }))
      const { mail, untold, next } = judge(reviewers, item.state, now)
      for (const { memberId, count } of mail) {
        mails.set(memberId, { lastAt: now, count: count + 1 })
        sent.find((each) => each.memberId === memberId)?.at.push(now)
      }
      item.state = untold
      item.due = next
    }
  }
  return { sent, items, isDone: items.every(({ due }) => due === null) }
}

/** Each reviewer hears of each case within the bound, never twice within it, and nothing where nothing opened. */
function noticesHold(judge: Judge, drawn: object = {}): void {
  fc.assert(
    fc.property(
      fc.array(fc.nat(60), { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 1, max: 60 }),
      (openings, count) => {
        const people = Array.from({ length: count }, (_, at) => `mem_${at}`)
        const { sent, items, isDone } = played(judge, openings, people)
        assert.ok(isDone, 'a case is told for ever')
        for (const { at } of sent) {
          for (const [index, each] of at.entries())
            assert.ok(index === 0 || each - (at[index - 1] ?? 0) >= reviewMailMs, 'two mails')
          // After the piece of a commit the next one follows by the clock's next minute here.
          for (const { openedAt } of items)
            assert.ok(
              at.some((each) => each >= openedAt && each <= openedAt + reviewMailMs + 2 * minute),
              `opened at ${openedAt}, told at ${at.join()}`,
            )
          assert.ok(at.length <= items.length, 'more mails than cases')
        }
      },
    ),
    { numRuns: 100, ...drawn },
  )
}

const mutants: Readonly<Record<string, Judge>> = {
  'no bound': (reviewers, untold, now) =>
    judgeNotice(
      reviewers.map((each) => ({ ...each, lastAt: null })),
      untold,
      now,
    ),
  'who is left for later is forgotten': (...asked) => ({
    ...judgeNotice(...asked),
    untold: {},
    next: null,
  }),
  'a mail about another case does not count': (reviewers, untold, now) =>
    judgeNotice(
      reviewers,
      untold &&
        Object.fromEntries(
          reviewers
            .filter(({ memberId }) => memberId in untold)
            .map(({ memberId, count }) => [memberId, count]),
        ),
      now,
    ),
  'everybody is told again': (reviewers, untold, now) => {
    const judged = judgeNotice(reviewers, untold, now)
    return { ...judged, next: judged.next ?? now + reviewMailMs, untold: {} }
  },
}

describe('whom a case that waits is told to', () => {
  it('is each reviewer, soon and not too often', () => noticesHold(judgeNotice))
  for (const [name, mutant] of Object.entries(mutants))
    it(`would notice: ${name}`, () =>
      assert.throws(() => noticesHold(mutant, { seed: 1, endOnFailure: true })))

  it('waits no longer than usual after the clock was set back', () => {
    const ahead = { memberId: 'mem_1', lastAt: 100 * reviewMailMs, count: 1 }
    assert.equal(judgeNotice([ahead], null, 0).next, reviewMailMs)
  })
})
