import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { CaseFilter } from '@countersign/core'
import fc from 'fast-check'
import { applications } from '../../applications/records.ts'
import {
  admin,
  ann,
  app,
  bob,
  createBench,
  hour,
  opening,
  otherApp,
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
      // No runner works, so that nothing has recorded the expiry.
      const bench = await createBench({ callback: true })
      const opened = await bench.open({ dueAt: start + hour, expiresAt: start + 2 * hour })
      const read = async () =>
        value(await bench.cases.read(reader, { reviewCaseId: opened.reviewCaseId }))
      await bench.clock.advance(2 * hour - 1)
      assert.equal((await read()).state, 'open')
      await bench.clock.advance(1)
      const { state, decision, closedAt } = await read()
      assert.deepEqual(
        [state, decision, closedAt],
        ['expired', 'expired', new Date(start + 2 * hour).toISOString()],
      )
      const shown = await read()
      await bench.clock.advance(1)
      assert.deepEqual(await read(), shown)
      await bench.runner.tick()
      const { history, ...recorded } = await read()
      assert.deepEqual(
        [recorded.caseVersion, recorded.eventSequence, recorded.state, recorded.callback],
        [shown.caseVersion, shown.eventSequence, shown.state, shown.callback],
      )
      assert.deepEqual(
        history.map(({ step, actor }) => [step, actor]),
        shown.history.map(({ step, actor }) => [step, actor]),
      )
    }
  })

  it('is written by no read and no list', async () => {
    const bench = await createBench({ callback: true })
    const { reviewCaseId } = await bench.open({ expiresAt: start + 2 * hour })
    const lists = async () => {
      for (const filter of [{}, { state: 'open' }, { state: 'expired' }] as const) {
        const listing = value(await bench.cases.list(ann, { ...filter, page: 1, pageSize: 100 }))
        for await (const _ of listing.pieces);
      }
    }
    const before = bench.written.length
    for (const wait of [0, 2 * hour]) {
      await bench.clock.advance(wait)
      for (const reader of [app, ann, admin])
        value(await bench.cases.read(reader, { reviewCaseId }))
      await lists()
    }
    assert.equal(bench.written.length, before)
  })

  it('is no open case of a list at or after expiresAt, whatever the list is filtered by', async () => {
    const times = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(times, fc.nat(7), fc.boolean(), async (ends, now, hidden) => {
        const bench = await createBench()
        for (const [at, end] of ends.entries())
          await bench.open({
            expiresAt: start + end * hour,
            sessionId: `ses_${end}`,
            checkpointId: `checkpoint-${at}`,
          })
        if (hidden) {
          value(await bench.cases.open(otherApp, opening({ expiresAt: start + hour })))
          await bench.change(
            applications,
            ({ applicationId }) => applicationId === 'app_2',
            () => ({ lifecycleState: 'pending_deletion' as const }),
          )
        }
        await bench.clock.advance(now * hour)
        const rows = async (filter: CaseFilter) => {
          const listing = value(await bench.cases.list(ann, { ...filter, page: 1, pageSize: 100 }))
          const pieces = []
          for await (const piece of listing.pieces) pieces.push(...piece)
          assert.equal(listing.totalCount, pieces.length)
          return pieces
        }
        const open = ends.filter((end) => end > now)
        assert.equal((await rows({ state: 'open' })).length, open.length)
        assert.equal((await rows({ state: 'open', assignee: 'none' })).length, open.length)
        assert.equal((await rows({ state: 'open', applicationId: 'app_1' })).length, open.length)
        for (const end of new Set(ends)) {
          const ofSession = await rows({ state: 'open', sessionId: `ses_${end}` })
          assert.equal(ofSession.length, open.filter((each) => each === end).length)
        }
        const all = await rows({})
        assert.deepEqual(
          all.map(({ expiresAt, state }) => `${expiresAt} ${state}`).sort(),
          ends
            .map((end) => {
              const state = end > now ? 'open' : 'expired'
              return `${new Date(start + end * hour).toISOString()} ${state}`
            })
            .sort(),
        )
      }),
      { numRuns: 60 },
    )
  })
})

describe('a pending follow-up', () => {
  it('refuses a second question, and allows the decision', async () => {
    const { cases } = await createBench()
    const { reviewCaseId } = value(await cases.open(app, opening()))
    const mine = value(await cases.claim(ann, { reviewCaseId }))
    const ask = (seen: { caseVersion: number }) =>
      cases.requestFollowUp(ann, { reviewCaseId, ...seen, question: 'Who?' })
    const asked = value(await ask(seenOf(mine)))
    assert.equal(refused(await ask(seenOf(asked))).code, 'follow_up_pending')
    const decided = value(
      await cases.decide(ann, {
        reviewCaseId,
        ...seenOf(asked),
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
      cases.reassign(bob, { reviewCaseId, caseVersion: 99, reviewerId: 'mem_ann' })
    assert.equal(refused(await byBob()).code, 'forbidden')
    await clock.advance(2 * hour)
    assert.equal(refused(await byBob()).code, 'forbidden')
    assert.equal(value(await cases.read(app, { reviewCaseId })).state, 'expired')
    assert.equal(refused(await byBob()).code, 'forbidden')
  })
})
