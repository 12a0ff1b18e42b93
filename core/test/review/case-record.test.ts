import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  ann,
  app,
  bob,
  createBench,
  hour,
  opening,
  refused,
  seenOf,
  start,
  value,
} from './bench.ts'

describe('the case record', () => {
  it('has a schemaVersion, and none of the members that make an event', async () => {
    const bench = await createBench()
    const view = await bench.open()
    assert.equal(view.schemaVersion, 1)
    for (const member of ['id', 'type', 'time']) assert.equal(member in view, false, member)
  })

  it('is never open at or after expiresAt, whoever reads it first', async () => {
    for (const reader of [app, ann]) {
      // No runner works, so that nothing but the read can have expired it.
      const bench = await createBench({ callback: true })
      const opened = await bench.open({ dueAt: start + hour, expiresAt: start + 2 * hour })
      const read = async () => value(await bench.cases.read(reader, opened.reviewCaseId))
      await bench.clock.advance(2 * hour - 1)
      assert.equal((await read()).state, 'open')
      await bench.clock.advance(1)
      const { state, decision, closedAt } = await read()
      assert.deepEqual(
        [state, decision, closedAt],
        ['expired', 'expired', new Date(start + 2 * hour).toISOString()],
      )
      assert.deepEqual(await read(), await read())
      const events = bench.events(opened.reviewCaseId).map(({ type }) => type)
      assert.deepEqual(events, ['review.case.created', 'review.case.expired'])
      assert.equal(bench.outcomes().length, 1)
    }
  })
})

describe('a pending follow-up', () => {
  it('refuses a second question, and allows the decision', async () => {
    const { cases } = await createBench()
    const { reviewCaseId } = value(await cases.open(app, opening()))
    const mine = value(await cases.claim(ann, reviewCaseId, {}))
    const ask = (seen: { caseVersion: number }) =>
      cases.requestFollowUp(ann, reviewCaseId, { seen, question: 'Who?' })
    const asked = value(await ask(seenOf(mine)))
    assert.equal(refused(await ask(seenOf(asked))).code, 'follow_up_pending')
    const decided = value(
      await cases.decide(ann, reviewCaseId, {
        seen: seenOf(asked),
        presentationDigest: asked.presentationDigest ?? '',
        decision: 'approved',
      }),
    )
    assert.deepEqual([decided.state, decided.decision], ['decided', 'approved'])
  })
})

describe('authority', () => {
  it('is told before version and state', async () => {
    const { cases, clock } = await createBench()
    const opened = value(
      await cases.open(app, opening({ dueAt: start + hour, expiresAt: start + 2 * hour })),
    )
    const { reviewCaseId } = opened
    const byBob = () =>
      cases.reassign(bob, reviewCaseId, { seen: { caseVersion: 99 }, reviewerId: 'mem_ann' })
    assert.equal(refused(await byBob()).code, 'forbidden')
    await clock.advance(2 * hour)
    assert.equal(refused(await byBob()).code, 'forbidden')
    assert.equal(value(await cases.read(app, reviewCaseId)).state, 'expired')
    assert.equal(refused(await byBob()).code, 'forbidden')
  })
})
