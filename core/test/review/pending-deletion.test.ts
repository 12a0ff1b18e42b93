import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Result } from '@countersign/core/ledger'
import { applications } from '../../applications/records.ts'
import type { MemberActor } from '../../kernel/callers/actor.ts'
import {
  admin,
  ann,
  app,
  type Bench,
  bob,
  createBench,
  hour,
  refused,
  seenOf,
  system,
  value,
} from './bench.ts'

/** What members do with a case, each from a case that allows it. */
const commands: Readonly<
  Record<
    string,
    {
      readonly closed?: true
      readonly by: MemberActor
      run(bench: Bench, reviewCaseId: string): Promise<Result<unknown>>
    }
  >
> = {
  claim: { by: bob, run: ({ cases }, id) => cases.claim(bob, { reviewCaseId: id }) },
  reassign: {
    by: admin,
    run: ({ cases, stored }, id) =>
      cases.reassign(admin, { reviewCaseId: id, ...seenOf(stored(id)), reviewerId: bob.memberId }),
  },
  requestFollowUp: {
    by: ann,
    run: ({ cases, stored }, id) =>
      cases.requestFollowUp(ann, { reviewCaseId: id, ...seenOf(stored(id)), question: 'Who?' }),
  },
  decide: {
    by: ann,
    run: ({ cases, stored }, id) =>
      cases.decide(ann, {
        reviewCaseId: id,
        ...seenOf(stored(id)),
        presentationDigest: stored(id).presentationDigest ?? '',
        decision: 'approved',
      }),
  },
  cancel: {
    by: admin,
    run: ({ cases, stored }, id) =>
      cases.cancel(admin, {
        reviewCaseId: id,
        ...seenOf(stored(id)),
        reasonCategory: 'end_user_cancelled',
      }),
  },
  replayCallback: {
    closed: true,
    by: admin,
    run: ({ cases }, id) => cases.replayCallback(admin, { reviewCaseId: id }),
  },
}

async function setState(
  bench: Bench,
  lifecycleState: 'active' | 'pending_deletion' | 'purging',
): Promise<void> {
  await bench.change(
    applications,
    ({ applicationId }) => applicationId === 'app_1',
    () => ({ lifecycleState }),
  )
}

/** A case that the command is allowed on. */
async function prepared(bench: Bench, name: string, closed = false): Promise<string> {
  const { reviewCaseId } = await bench.open()
  if (name !== 'claim' && !closed) value(await bench.cases.claim(ann, { reviewCaseId }))
  if (closed) {
    await bench.setCallback({ enabled: false })
    const reasonCategory = 'end_user_cancelled'
    value(await bench.cases.cancel(app, { reviewCaseId, reasonCategory }))
    await bench.setCallback({ enabled: true })
  }
  return reviewCaseId
}

describe('cases of an application that is being deleted', () => {
  for (const [name, { closed, run, by }] of Object.entries(commands))
    it(`take no ${name}, are read, and take it again once the deletion is cancelled`, async () => {
      const bench = await createBench({ callback: true })
      const id = await prepared(bench, name, closed)
      for (const state of ['pending_deletion', 'purging'] as const) {
        await setState(bench, state)
        const before = bench.written.length
        assert.equal(refused(await run(bench, id)).code, 'application_gone')
        assert.equal(value(await bench.cases.read(by, { reviewCaseId: id })).reviewCaseId, id)
        assert.equal(bench.written.length, before)
      }
      await setState(bench, 'active')
      value(await run(bench, id))
    })

  for (const [name, { closed, run }] of Object.entries(commands))
    it(`take no ${name} either when the deletion is committed meanwhile`, async () => {
      const bench = await createBench({ callback: true })
      const id = await prepared(bench, name, closed)
      const { caseVersion, eventSequence } = bench.stored(id)
      const [result] = await Promise.all([run(bench, id), setState(bench, 'pending_deletion')])
      assert.equal(refused(result).code, 'application_gone')
      assert.deepEqual(
        [bench.stored(id).caseVersion, bench.stored(id).eventSequence],
        [caseVersion, eventSequence],
      )
    })

  it('are expired by their timers, and cancelled by the service', async () => {
    const bench = await createBench()
    const [expiring, other] = [await bench.open(), await bench.open()]
    await setState(bench, 'pending_deletion')
    const reasonCategory = 'application_lifecycle'
    value(await bench.cases.cancel(system, { reviewCaseId: other.reviewCaseId, reasonCategory }))
    await bench.clock.advance(8 * 24 * hour)
    await bench.runner.tick()
    assert.equal(bench.stored(expiring.reviewCaseId).state, 'expired')
    const late = await bench.cases.claim(ann, { reviewCaseId: expiring.reviewCaseId })
    assert.equal(refused(late).code, 'application_gone')
  })

  it('are unknown to those who may not read them, whatever becomes of the application', async () => {
    const bench = await createBench()
    await setState(bench, 'pending_deletion')
    const unknown = await bench.cases.claim(ann, { reviewCaseId: `rc_${'0'.repeat(26)}` })
    assert.equal(refused(unknown).code, 'not_found')
  })
})
