import assert from 'node:assert/strict'
import type { Ledger } from '@countersign/core/ledger'
import fc, { type Scheduler } from 'fast-check'
import { ann, createBench, seenOf, value } from './bench.ts'

/** A ledger for which the time stands still before a deadline; `Infinity` is none. */
export function slowClock(deadline: () => number): (ledger: Ledger) => Ledger {
  return (ledger) => ({
    ...ledger,
    execute: (tenant, attempt) =>
      ledger.execute(tenant, (unit) =>
        attempt({ ...unit, now: Math.min(unit.now, deadline() - 1) }),
      ),
  })
}

/**
 * A decision meets the deadline of its case, which passes between any two calls of the store, in so many schedules:
 * the case ends once and the application hears that end, and what is decided behind the deadline is refused.
 */
export async function decideMeetsExpiry(
  schedules: number,
  wrap?: (deadline: () => number) => (ledger: Ledger) => Ledger,
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), (scheduler) => race(scheduler, wrap)),
    { numRuns: schedules },
  )
}

async function race(
  scheduler: Scheduler,
  wrap?: (deadline: () => number) => (ledger: Ledger) => Ledger,
): Promise<void> {
  let deadline = Number.POSITIVE_INFINITY
  let isDeciding = false
  // Only for the decision: an expiry that never comes due would be tried for ever.
  const seen = () => (isDeciding ? deadline : Number.POSITIVE_INFINITY)
  const bench = await createBench({ callback: true, ...(wrap && { wrap: wrap(seen) }) })
  const { cases, clock, runner } = bench
  const { reviewCaseId, expiresAt } = await bench.open()
  const review = value(await cases.claim(ann, { reviewCaseId }))
  deadline = Date.parse(expiresAt)
  clock.jump(deadline - 1 - clock.now())
  bench.break((point, { kind }) =>
    point === 'before' ? scheduler.schedule(Promise.resolve(), kind).then(() => {}) : undefined,
  )
  const passing = scheduler.schedule(Promise.resolve(), 'the deadline').then(async () => {
    clock.jump(1)
    await runner.tick()
  })
  const deciding = scheduler.schedule(Promise.resolve(), 'the decision').then(async () => {
    const isLate = clock.now() >= deadline
    isDeciding = true
    const decided = await cases.decide(ann, {
      reviewCaseId,
      ...seenOf(review),
      presentationDigest: review.presentationDigest ?? '',
      decision: 'approved',
    })
    isDeciding = false
    return { isLate, decided }
  })
  const [, { isLate, decided }] = await scheduler.waitFor(Promise.all([passing, deciding]))
  const { state, history } = bench.stored(reviewCaseId)
  const ends = history.filter(({ step }) => step === 'decided' || step === 'expired')
  assert.equal(ends.length, 1)
  assert.deepEqual(
    bench.outcomes().map(({ decision }) => decision),
    [decided.ok ? 'approved' : 'expired'],
  )
  assert.equal(state, decided.ok ? 'decided' : 'expired')
  assert.ok(!(decided.ok && isLate), 'decided behind the deadline')
}
