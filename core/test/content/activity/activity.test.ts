import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import {
  type Activity,
  activityOf,
  durationP95,
  noActivity,
  plus,
} from '../../../content/activity/activity.ts'
import {
  activityBetween,
  type Fact,
  folded,
  slotOf,
} from '../../../content/activity/fold-activity.ts'
import { type ActivityMinute, slotMs } from '../../../content/activity/records.ts'

const start = Date.UTC(2026, 0, 1)
const tally = {
  ...{ steps: 3, errors: 1, guardrails: 0, guardrailsOk: 0, inputTokens: 5, outputTokens: 7 },
  ...{ scores: 0, scoreSum: 0, allow: 0, deny: 2, requireReview: 0 },
}

function sessionOf(ms: number, status: 'completed' | 'failed' = 'completed'): Activity {
  return activityOf({ status, tally, quality: 873, startedAt: start, endedAt: start + ms })
}

const fact: fc.Arbitrary<Fact> = fc.record({
  at: fc.integer({ min: 0, max: 300_000 }).map((ms) => start + ms),
  activity: fc.oneof(
    fc.integer({ min: 0, max: 5_000 }).map((ms) => sessionOf(ms)),
    fc.nat(3).map((violations) => ({ ...noActivity, violations })),
  ),
})

describe('activity', () => {
  it('of a session is its sums', () => {
    assert.deepEqual(sessionOf(40, 'failed'), {
      ...{ sessions: 1, failed: 1, steps: 3, errors: 1, tokens: 12, quality: 873, scored: 1 },
      ...{ violations: 0, deadLettered: 0, durations: { 40: 1 } },
    })
  })

  it('has the 95th percentile of durations by nearest rank, to 1 %', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.nat(150), fc.nat(90_000_000)), { minLength: 1, maxLength: 60 }),
        (durations) => {
          const sum = durations.map((ms) => sessionOf(ms)).reduce(plus)
          const sorted = durations.toSorted((a, b) => a - b)
          const exact = sorted[Math.ceil(0.95 * sorted.length) - 1] as number
          const told = durationP95(sum)
          assert.ok(told !== null)
          assert.ok(
            told >= exact && told <= Math.max(exact, exact * 1.01 + 0.5),
            `${told} ${exact}`,
          )
          if (exact <= 100) assert.equal(told, exact)
        },
      ),
    )
    assert.equal(durationP95(noActivity), null)
  })

  it('is the same whenever its facts are folded, for windows of whole slots', () => {
    const place = { tenantId: 'ten_1', applicationId: 'app_1' }
    fc.assert(
      fc.property(
        fc.array(fact, { maxLength: 40 }),
        fc.array(fc.nat(30)),
        fc.nat(30),
        fc.nat(30),
        (facts, folds, a, b) => {
          let minutes: readonly ActivityMinute[] = []
          let from = start
          const ends = [...folds, 40].map((slot) => start + slot * slotMs).sort((x, y) => x - y)
          for (const until of ends) {
            const fresh = facts.filter(({ at }) => at >= from && at < until)
            const found = minutes.map((row) => ({ row, version: 1, leasedBy: null }))
            minutes = folded(place, fresh, found).minutes
            from = Math.max(from, until)
          }
          const [begin, end] = [Math.min(a, b), Math.max(a, b)].map((n) => start + n * slotMs)
          const within = facts.filter(({ at }) => at >= (begin as number) && at < (end as number))
          const expected = within.map(({ activity }) => activity).reduce(plus, noActivity)
          assert.deepEqual(activityBetween(minutes, begin as number, end as number), expected)
        },
      ),
    )
  })

  it('lies in the slot that its time is in', () => {
    fc.assert(
      fc.property(fc.nat(1_000_000), (ms) => {
        const slot = slotOf(start + ms)
        assert.ok(slot <= start + ms && start + ms < slot + slotMs && slot % slotMs === 0)
      }),
    )
  })
})
