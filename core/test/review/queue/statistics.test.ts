import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { applications } from '../../../applications/records.ts'
import { put } from '../../../kernel/ledger/reads.ts'
import { type CaseOutcome, caseOutcomes } from '../../../review/queue/outcome-records.ts'
import { medianOf } from '../../../review/queue/statistics.ts'
import {
  admin,
  ann,
  app,
  bob,
  createBench,
  foreigner,
  hour,
  opening,
  otherApp,
  refused,
  seenOf,
  start,
  value,
} from '../bench.ts'

type Bench = Awaited<ReturnType<typeof createBench>>
const day = 24 * hour

async function statisticsOf({ portal }: Bench, days?: number) {
  return value(await portal.readStatistics(admin, days === undefined ? {} : { days }))
}

async function decide(
  { cases, open }: Bench,
  by: typeof ann,
  decision: 'approved' | 'rejected',
  tier: 'high' | 'urgent',
  viewedMs?: number,
) {
  const { reviewCaseId } = await open({ reviewTier: tier })
  const seen = value(await cases.claim(by, { reviewCaseId }))
  return async () =>
    value(
      await cases.decide(by, {
        ...{ reviewCaseId, ...seenOf(seen), decision, viewedMs },
        presentationDigest: seen.presentationDigest ?? '',
      }),
    )
}

const none = {
  approved: 0,
  rejected: 0,
  responseSubmitted: 0,
  cancelled: 0,
  expired: 0,
  medianMs: null,
  viewed: 0,
  viewedBriefly: 0,
  medianViewedMs: null,
}

describe('statistics', () => {
  it('count how cases ended, by day, tier and reviewer', async () => {
    const bench = await createBench()
    const { cases, clock, open, runner } = bench
    const first = await decide(bench, ann, 'approved', 'high')
    await clock.advance(hour)
    await first()
    const ends = [
      await decide(bench, bob, 'approved', 'urgent'),
      await decide(bench, bob, 'rejected', 'high'),
      await decide(bench, ann, 'approved', 'urgent'),
    ]
    for (const end of ends) {
      await clock.advance(hour / 2)
      await end()
    }
    const { reviewCaseId } = await open()
    value(await cases.cancel(app, { reviewCaseId, reasonCategory: 'end_user_cancelled' }))
    await open({ reviewTier: 'urgent' })
    await clock.advance(day)
    await runner.tick()
    const told = await statisticsOf(bench, 2)
    assert.deepEqual(
      [told.from, told.until],
      [start, clock.now()].map((at) => new Date(at).toISOString()),
    )
    assert.deepEqual(told.all, {
      ...none,
      approved: 3,
      rejected: 1,
      cancelled: 1,
      expired: 1,
      medianMs: hour,
    })
    assert.deepEqual(
      told.days,
      [
        {
          day: '2026-01-01',
          ...none,
          approved: 3,
          rejected: 1,
          cancelled: 1,
          expired: 1,
          medianMs: hour,
        },
        { day: '2026-01-02', ...none },
      ].map((each, at) => (at === 0 ? { ...each, expired: 0 } : { ...each, expired: 1 })),
    )
    assert.deepEqual(told.tiers, [
      { reviewTier: 'standard', ...none, cancelled: 1 },
      { reviewTier: 'high', ...none, approved: 1, rejected: 1, medianMs: hour },
      { reviewTier: 'urgent', ...none, approved: 2, expired: 1, medianMs: hour / 2 },
    ])
    assert.deepEqual(told.reviewers, [
      { memberId: 'mem_ann', name: 'mem_ann', ...none, approved: 2, medianMs: hour },
      {
        memberId: 'mem_bob',
        name: 'mem_bob',
        ...none,
        approved: 1,
        rejected: 1,
        medianMs: hour / 2,
      },
    ])
    // The day before yesterday is none of one day.
    assert.deepEqual((await statisticsOf(bench, 1)).all, { ...none, expired: 1 })
    assert.equal((await statisticsOf(bench)).days.length, 30)
  })

  it('tell how long cases were in view, of those whose browsers told it', async () => {
    const bench = await createBench()
    const viewed = [4_999, 5_000, 60_000, 0]
    for (const ms of viewed) await (await decide(bench, ann, 'approved', 'high', ms))()
    await (await decide(bench, ann, 'approved', 'urgent'))()
    await (await decide(bench, bob, 'rejected', 'high', 70_000))()
    const told = await statisticsOf(bench)
    const figures = { viewed: 5, viewedBriefly: 2, medianViewedMs: 5_000 }
    const of = ({ viewed, viewedBriefly, medianViewedMs }: typeof told.all) => ({
      ...{ viewed, viewedBriefly, medianViewedMs },
    })
    assert.deepEqual(of(told.all), figures)
    assert.deepEqual(told.reviewers.map(of), [
      { viewed: 4, viewedBriefly: 2, medianViewedMs: 4_999 },
      { viewed: 1, viewedBriefly: 0, medianViewedMs: 70_000 },
    ])
    assert.equal(told.tiers.find(({ reviewTier }) => reviewTier === 'urgent')?.viewed, 0)
  })

  it('take no time in view that is none', async () => {
    const bench = await createBench()
    for (const ms of [-1, 0.5, 86_400_001]) {
      const { reviewCaseId } = await bench.open()
      const seen = value(await bench.cases.claim(ann, { reviewCaseId }))
      const answer = await bench.cases.decide(ann, {
        ...{ reviewCaseId, ...seenOf(seen), decision: 'approved', viewedMs: ms },
        presentationDigest: seen.presentationDigest ?? '',
      })
      assert.equal(refused(answer).code, 'invalid_request')
    }
  })

  it('are of one organization, for its admins, without applications that are being deleted', async () => {
    const bench = await createBench()
    const { cases, portal } = bench
    const { reviewCaseId } = value(await cases.open(otherApp, opening({ checkpointId: 'other' })))
    value(await cases.cancel(otherApp, { reviewCaseId, reasonCategory: 'end_user_cancelled' }))
    assert.equal((await statisticsOf(bench)).all.cancelled, 1)
    assert.equal(value(await portal.readStatistics(foreigner, {})).all.cancelled, 0)
    assert.equal(refused(await portal.readStatistics(ann, {})).code, 'forbidden')
    for (const days of [0, 91, 1.5])
      assert.equal(refused(await portal.readStatistics(admin, { days })).code, 'invalid_request')
    await bench.change(
      applications,
      ({ applicationId }) => applicationId === 'app_2',
      () => ({ lifecycleState: 'pending_deletion' as const }),
    )
    assert.equal((await statisticsOf(bench)).all.cancelled, 0)
  })

  it('count the newest ten thousand, and say since when', async () => {
    const bench = await createBench()
    const row = (n: number): CaseOutcome => ({
      ...{ tenantId: 'ten_1', applicationId: 'app_1', reviewCaseId: `rc_${n}`, reviewTier: 'high' },
      ...{ decision: 'approved', reviewerId: 'mem_gone', createdAt: start, viewedMs: null },
      closedAt: start + Math.floor(n / 2),
    })
    const ended = Array.from({ length: 10_001 }, (_, n) => put(caseOutcomes, row(n), null))
    await bench.store.commit({ tenant: null, puts: ended })
    await bench.clock.advance(hour)
    const told = await statisticsOf(bench, 1)
    // The oldest shares its ms with another.
    assert.deepEqual([told.from, told.all.approved], [new Date(start + 1).toISOString(), 9_999])
    assert.deepEqual(
      told.reviewers.map(({ memberId, name }) => [memberId, name]),
      [['mem_gone', null]],
    )
  })
})

describe('a median', () => {
  it('has at most half of the numbers below and above', () => {
    assert.equal(medianOf([]), null)
    fc.assert(
      fc.property(fc.array(fc.nat(50), { minLength: 1, maxLength: 30 }), (numbers) => {
        const median = medianOf(numbers) ?? -1
        assert.ok(numbers.includes(median))
        const half = numbers.length / 2
        assert.ok(numbers.filter((each) => each < median).length < half)
        assert.ok(numbers.filter((each) => each > median).length <= half)
      }),
    )
  })
})
