import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ReviewCase } from '@countersign/core/internal'
import type { Ledger, Plan } from '@countersign/core/ledger'
import fc, { type Scheduler } from 'fast-check'
import { members } from '../../organizations/access/records.ts'
import { admin, ann, app, type Bench, bob, createBench, losing, seenOf, value } from './bench.ts'

/** From now on every call of the store waits for its turn, in an order that the scheduler draws. */
function interleave(bench: Bench, scheduler: Scheduler): void {
  bench.break((point, { kind }) =>
    point === 'before' ? scheduler.schedule(Promise.resolve(), kind).then(() => {}) : undefined,
  )
}

async function race<T>(
  bench: Bench,
  scheduler: Scheduler,
  racers: readonly (() => Promise<T>)[],
): Promise<readonly T[]> {
  interleave(bench, scheduler)
  return await scheduler.waitFor(Promise.all(racers.map((racer) => racer())))
}

const codes = (results: readonly { ok: boolean; refusal?: { code: string } }[]) =>
  results.map((result) => result.refusal?.code ?? 'ok').sort()

const ends = ({ history }: ReviewCase) =>
  history.filter(({ step }) => ['decided', 'cancelled', 'expired'].includes(step))

describe('races, under any interleaving of the store', () => {
  it('two reviewers claim at once: one has it, the other learns so', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), async (scheduler) => {
        const bench = await createBench()
        const { reviewCaseId } = await bench.open()
        const claims = [ann, bob].map(
          (who) => () => bench.cases.claim(who, { reviewCaseId, caseVersion: 1 }),
        )
        assert.deepEqual(codes(await race(bench, scheduler, claims)), ['already_assigned', 'ok'])
        assert.equal(bench.events(reviewCaseId).length, 2)
      }),
      { numRuns: 100 },
    )
  })

  it('a decision and two cancellations at once: one end, one callback, one event', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), async (scheduler) => {
        const bench = await createBench({ callback: true })
        const { cases } = bench
        const { reviewCaseId } = await bench.open()
        const review = value(await cases.claim(ann, { reviewCaseId }))
        const seen = seenOf(review)
        const results = await race(bench, scheduler, [
          () =>
            cases.decide(ann, {
              reviewCaseId,
              ...seen,
              presentationDigest: review.presentationDigest ?? '',
              decision: 'approved',
            }),
          () =>
            cases.cancel(admin, { reviewCaseId, ...seen, reasonCategory: 'policy_rule_withdrawn' }),
          () => cases.cancel(app, { reviewCaseId, reasonCategory: 'end_user_cancelled' }),
        ])
        const told = codes(results)
        assert.equal(told.filter((code) => code === 'ok').length, 1)
        for (const code of told)
          assert.ok(['ok', 'version_conflict', 'invalid_transition'].includes(code), code)
        assert.equal(ends(bench.stored(reviewCaseId)).length, 1)
        assert.equal(bench.outcomes().length, 1)
        assert.equal(bench.events(reviewCaseId).length, 3)
      }),
      { numRuns: 100 },
    )
  })

  it('several runners and a late reviewer at expiresAt: one expiry', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), async (scheduler) => {
        const bench = await createBench({ callback: true })
        const { reviewCaseId, expiresAt } = await bench.open()
        bench.clock.jump(Date.parse(expiresAt) - bench.clock.now())
        await race<unknown>(bench, scheduler, [
          () => bench.runner.tick(),
          () => bench.cases.claim(ann, { reviewCaseId }),
          () => bench.cases.claim(bob, { reviewCaseId }),
        ])
        const stored = bench.stored(reviewCaseId)
        assert.equal(stored.state, 'expired')
        assert.equal(ends(stored).length, 1)
        assert.equal(bench.outcomes().length, 1)
        assert.equal(bench.events(reviewCaseId).length, 2)
      }),
      { numRuns: 100 },
    )
  })

  /** Nothing of a member is committed behind the commit that suspends them. */
  async function suspensionHolds(wrap: (ledger: Ledger) => Ledger): Promise<void> {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), async (scheduler) => {
        const bench = await createBench({ wrap })
        const { reviewCaseId } = await bench.open()
        const claimed = () => bench.stored(reviewCaseId).assigneeId !== null
        const suspended = () =>
          bench.store.rows(members).some(({ row }) => row.status === 'Suspended')
        let claimedBefore: boolean | null = null
        bench.break((point, { kind }) => {
          if (point === 'after_commit' && suspended()) claimedBefore ??= claimed()
          return point === 'before'
            ? scheduler.schedule(Promise.resolve(), kind).then(() => {})
            : undefined
        })
        const suspend = bench.change(
          members,
          ({ memberId }) => memberId === ann.memberId,
          () => ({ status: 'Suspended' as const }),
        )
        const claim = bench.cases.claim(ann, { reviewCaseId })
        await scheduler.waitFor(Promise.all([suspend, claim]))
        assert.equal(claimed(), claimedBefore)
      }),
      { numRuns: 100 },
    )
  }

  it('a claim and the suspension of who claims: never the claim behind it', () =>
    suspensionHolds((ledger) => ledger))

  it('would notice: commits that check nothing', () =>
    assert.rejects(
      suspensionHolds((ledger) =>
        losing(
          ledger,
          (plan): Plan<unknown> =>
            plan.kind === 'commit' ? { ...plan, set: { ...plan.set, checks: [] } } : plan,
        ),
      ),
      /Property failed/,
    ))
})
