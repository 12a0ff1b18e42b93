import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { workItems } from '@countersign/core/internal'
import { caseSealKind } from '../../review/case-record.ts'
import {
  admin,
  ann,
  app,
  type Bench,
  createBench,
  hour,
  opening,
  refused,
  seenOf,
  start,
  value,
} from './bench.ts'

const due = start + 24 * hour
const expiry = start + 7 * 24 * hour

const steps = (bench: Bench, reviewCaseId: string) =>
  bench.events(reviewCaseId).map(({ type }) => type.replace('review.case.', ''))

/** Kinds of the work that waits; nobody here does that of the seal. */
function leftOf(store: Bench['store']): readonly string[] {
  return store.rows(workItems).map(({ row }) => String(row.kind))
}

describe('deadlines of a case', () => {
  it('tells overdue once at dueAt and expiry at expiresAt, and leaves no work behind', async () => {
    const bench = await createBench()
    const { clock, runner, open, store } = bench
    const { reviewCaseId } = await open()
    runner.start()
    await clock.advance(24 * hour - 1)
    assert.deepEqual(steps(bench, reviewCaseId), ['created'])
    await clock.advance(1)
    assert.deepEqual(steps(bench, reviewCaseId), ['created', 'overdue'])
    assert.equal(bench.stored(reviewCaseId).overdueAt, due)
    await clock.advance(6 * 24 * hour - 1)
    assert.deepEqual(steps(bench, reviewCaseId), ['created', 'overdue'])
    await clock.advance(1)
    assert.deepEqual(steps(bench, reviewCaseId), ['created', 'overdue', 'expired'])
    const [, overdue, expired] = bench.events(reviewCaseId)
    assert.deepEqual(
      [overdue?.type, overdue?.decision, overdue?.reasonCategory, overdue?.time],
      ['review.case.overdue', null, 'overdue', new Date(due).toISOString()],
    )
    assert.equal(expired?.decision, 'expired')
    assert.equal(expired?.reasonCategory, 'expired')
    assert.equal(expired?.presentationDigest, null)
    assert.equal(expired?.time, new Date(expiry).toISOString())
    assert.deepEqual(leftOf(store), [caseSealKind])
    await runner.drain(0)
  })

  it('tells nothing but the expiry after a downtime past both', async () => {
    const bench = await createBench()
    const { reviewCaseId } = await bench.open()
    await bench.clock.advance(8 * 24 * hour)
    assert.equal(await bench.runner.tick(), 1)
    assert.deepEqual(steps(bench, reviewCaseId), ['created', 'expired'])
  })

  it('keeps the current decision in an overdue event', async () => {
    const bench = await createBench()
    const { cases, clock, runner, open, events } = bench
    let review = await open()
    review = value(await cases.claim(ann, { reviewCaseId: review.reviewCaseId }))
    await cases.requestFollowUp(ann, {
      reviewCaseId: review.reviewCaseId,
      ...seenOf(review),
      question: '?',
    })
    await clock.advance(24 * hour)
    await runner.tick()
    const overdue = events(review.reviewCaseId).at(-1)
    assert.equal(overdue?.type, 'review.case.overdue')
    assert.equal(overdue?.decision, 'follow_up_required')
    assert.equal(overdue?.reasonCategory, 'overdue')
  })

  it('does nothing for a closed case but remove its item', async () => {
    const bench = await createBench()
    const { cases, clock, runner, open, store } = bench
    const { reviewCaseId } = await open()
    value(await cases.cancel(app, { reviewCaseId, reasonCategory: 'end_user_cancelled' }))
    await clock.advance(24 * hour)
    assert.equal(await runner.tick(), 1)
    assert.deepEqual(leftOf(store), [caseSealKind])
    assert.deepEqual(steps(bench, reviewCaseId), ['created', 'cancelled'])
  })

  it('decides one tick before expiresAt, and at expiresAt records the expiry and refuses', async () => {
    for (const late of [false, true]) {
      const bench = await createBench()
      const { cases, clock, open } = bench
      const { reviewCaseId } = await open()
      const review = value(await cases.claim(ann, { reviewCaseId }))
      await clock.advance(expiry - start - (late ? 0 : 1))
      const outcome = await cases.decide(ann, {
        reviewCaseId,
        ...seenOf(review),
        presentationDigest: review.presentationDigest ?? '',
        decision: 'approved',
      })
      const stored = bench.stored(reviewCaseId)
      if (!late) {
        assert.equal(value(outcome).state, 'decided')
        continue
      }
      assert.equal(refused(outcome).code, 'case_expired')
      assert.equal(stored.state, 'expired')
      assert.equal(stored.decision, 'expired')
      assert.equal(stored.decidedBy, null)
      assert.equal(stored.history.at(-1)?.actor, 'system')
      assert.deepEqual(steps(bench, reviewCaseId), ['created', 'assignment_changed', 'expired'])
      assert.deepEqual(
        bench.audited().map(({ action }) => action),
        ['review_case.claimed'],
      )
      assert.equal(refused(await cases.claim(ann, { reviewCaseId })).code, 'case_expired')
    }
  })

  it('lets no step back of the clock revive an expired case', async () => {
    const bench = await createBench()
    const { cases, clock, runner, open } = bench
    const { reviewCaseId } = await open()
    const review = value(await cases.claim(ann, { reviewCaseId }))
    clock.jump(8 * 24 * hour)
    await runner.tick()
    clock.jump(-8 * 24 * hour)
    const outcome = await cases.decide(ann, {
      reviewCaseId,
      ...seenOf(review),
      presentationDigest: review.presentationDigest ?? '',
      decision: 'approved',
    })
    assert.equal(refused(outcome).code, 'case_expired')
  })

  it('opens a new case at a checkpoint whose last one has lapsed unnoticed, which expires first', async () => {
    const bench = await createBench()
    const { cases, clock, open } = bench
    const first = await open()
    await clock.advance(7 * 24 * hour)
    const again = opening({ sessionId: first.sessionId, checkpointId: 'checkpoint' })
    const second = value(await cases.open(app, again))
    assert.notEqual(second.reviewCaseId, first.reviewCaseId)
    assert.equal(bench.stored(first.reviewCaseId).state, 'expired')
    assert.deepEqual(steps(bench, first.reviewCaseId), ['created', 'expired'])
  })
})

type Act = 'decide' | 'cancel' | 'expire' | 'overdue'
const acts: readonly Act[] = ['decide', 'cancel', 'expire', 'overdue']

function orders<T>(of: readonly T[]): readonly (readonly T[])[] {
  if (of.length === 0) return [[]]
  return of.flatMap((first) =>
    orders(of.filter((each) => each !== first)).map((rest) => [first, ...rest]),
  )
}

describe('decide, cancel, expire and overdue at one tick, in all 24 orders', () => {
  /** The tick, against a case due and expiring at these distances from it. */
  const ticks = {
    'at dueAt and expiresAt': { dueIn: hour, expiresIn: hour },
    'at dueAt, before expiresAt': { dueIn: hour, expiresIn: hour + 1 },
  } as const

  for (const [name, { dueIn, expiresIn }] of Object.entries(ticks))
    for (const concurrent of [false, true])
      it(`${name}, ${concurrent ? 'all at once' : 'one after another'}`, async () => {
        assert.equal(orders(acts).length, 24)
        for (const order of orders(acts)) {
          const bench = await createBench()
          const { cases, clock, open } = bench
          const { reviewCaseId } = await open({
            dueAt: start + dueIn,
            expiresAt: start + expiresIn,
          })
          const review = value(await cases.claim(ann, { reviewCaseId }))
          await clock.advance(hour)
          const codes: string[] = []
          const run = async (act: Act) => {
            if (act === 'expire' || act === 'overdue') return void (await bench.runner.tick())
            const outcome =
              act === 'decide'
                ? await cases.decide(ann, {
                    reviewCaseId,
                    ...seenOf(review),
                    presentationDigest: review.presentationDigest ?? '',
                    decision: 'approved',
                  })
                : await cases.cancel(admin, {
                    reviewCaseId,
                    ...seenOf(review),
                    reasonCategory: 'safer_alternative_completed',
                  })
            codes.push(outcome.ok ? 'done' : outcome.refusal.code)
          }
          if (concurrent) await Promise.all(order.map(run))
          else for (const act of order) await run(act)

          const { state, decision, history } = bench.stored(reviewCaseId)
          const ends = history.filter(({ step }) =>
            ['decided', 'cancelled', 'expired'].includes(step),
          )
          const label = `${order.join(' ')}: ${codes.join(' ')} → ${state}`
          if (expiresIn === hour) {
            assert.equal(state, 'expired', label)
            assert.deepEqual(codes, ['case_expired', 'case_expired'], label)
          } else {
            // Overdue may come first, then both saw an older version; the timer alone ends nothing.
            assert.ok(ends.length <= 1, label)
            assert.equal(codes.filter((code) => code === 'done').length, ends.length, label)
            for (const code of codes)
              assert.ok(['done', 'version_conflict', 'invalid_transition'].includes(code), label)
          }
          assert.equal(ends.length, state === 'open' ? 0 : 1, label)
          if (state === 'expired') assert.equal(decision, 'expired', label)
          const overdue = history.filter(({ step }) => step === 'overdue')
          assert.ok(overdue.length <= (expiresIn === hour ? 0 : 1), label)
        }
      })
})
