import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { reviewCases } from '@countersign/core/internal'
import { applications } from '../../applications/records.ts'
import { tierTimes } from '../../review/machine/tiers.ts'
import { app, createBench, hour, opening, otherApp, refused, start, value } from './bench.ts'

describe('opening a case', () => {
  it('gives each tier its times, and never a due time after the expiry', async () => {
    const { open } = await createBench()
    const times = async (input: Parameters<typeof open>[0]) => {
      const { dueAt, expiresAt } = await open(input)
      return [Date.parse(dueAt) - start, Date.parse(expiresAt) - start]
    }
    for (const reviewTier of ['standard', 'high', 'urgent'] as const) {
      const { due, expires } = tierTimes[reviewTier]
      assert.deepEqual(await times({ reviewTier }), [due, expires])
    }
    assert.deepEqual(await times({ expiresAt: start + hour }), [hour, hour])
    assert.deepEqual(await times({ reviewTier: 'urgent', dueAt: start + 9 * hour }), [
      9 * hour,
      9 * hour,
    ])
  })

  it('answers a second open of a checkpoint with the same case, and remembers its key', async () => {
    const { cases, open, store } = await createBench()
    const first = await open()
    const { sessionId } = first
    const again = opening({ sessionId, presentation: { other: true } })
    assert.equal(value(await cases.open(app, again)).reviewCaseId, first.reviewCaseId)
    assert.equal(store.rows(reviewCases).length, 1)
    value(
      await cases.cancel(app, {
        reviewCaseId: first.reviewCaseId,
        reasonCategory: 'checkpoint_superseded',
      }),
    )
    // The key keeps its result although the case has closed; a new key opens a new case.
    const repeated = value(await cases.open(app, again))
    assert.equal(repeated.reviewCaseId, first.reviewCaseId)
    assert.equal(repeated.state, 'cancelled')
    const next = value(await cases.open(app, opening({ sessionId })))
    assert.notEqual(next.reviewCaseId, first.reviewCaseId)
  })

  it('is found again by its checkpoint, in whatever state, and by nobody else', async () => {
    const { cases, clock, open, store } = await createBench()
    const { sessionId, checkpoint } = await open({ expiresAt: start + hour })
    const at = { sessionId, checkpointId: checkpoint.checkpointId }
    const states = async () => value(await cases.find(app, at)).state
    assert.equal(await states(), 'open')
    await clock.advance(hour)
    assert.equal(await states(), 'expired')
    const { reviewCaseId } = value(await cases.open(app, opening({ sessionId })))
    assert.equal(value(await cases.find(app, at)).reviewCaseId, reviewCaseId)
    value(await cases.cancel(app, { reviewCaseId, reasonCategory: 'end_user_cancelled' }))
    assert.deepEqual(
      value(await cases.find(app, at)),
      value(await cases.read(app, { reviewCaseId })),
    )
    const rows = store.rows(reviewCases).length
    for (const other of [
      { ...at, sessionId: 'other' },
      { ...at, checkpointId: 'other' },
    ])
      assert.equal(refused(await cases.find(app, other)).code, 'not_found')
    assert.equal(refused(await cases.find(otherApp, at)).code, 'not_found')
    assert.equal(store.rows(reviewCases).length, rows)
  })

  it('keeps checkpoints of different applications apart', async () => {
    const { cases, open } = await createBench()
    const mine = await open()
    const theirs = value(await cases.open(otherApp, opening({ sessionId: mine.sessionId })))
    assert.notEqual(mine.reviewCaseId, theirs.reviewCaseId)
  })

  it('answers a repeated key with the same case, and refuses it for another request', async () => {
    const { cases, store } = await createBench()
    const input = opening({ stepId: null, presentation: { a: 1, b: 2 } })
    const first = value(await cases.open(app, input))
    const { stepId: _, ...withoutStep } = input
    const same = { ...withoutStep, presentation: { b: 2, a: 1 }, resumeToken: null }
    assert.deepEqual(value(await cases.open(app, same)), first)
    for (const change of [
      { sessionId: 'ses_other' },
      { presentation: { a: 1, b: 3 } },
      { resumeToken: 'token' },
      { reviewTier: 'standard' as const },
      { policyResults: [1] },
    ])
      assert.equal(
        refused(await cases.open(app, { ...input, ...change })).code,
        'idempotency_conflict',
      )
    assert.equal(store.rows(reviewCases).length, 1)
  })

  it('keeps the deadlines of the first request when its key comes with others', async () => {
    const { cases, clock } = await createBench()
    const input = opening({ dueAt: start + hour, expiresAt: start + 2 * hour })
    const first = value(await cases.open(app, input))
    await clock.advance(1_000)
    for (const change of [
      { dueAt: start + hour + 1_000, expiresAt: start + 2 * hour + 1_000 },
      { expiresAt: start + 9 * hour },
      { dueAt: start - hour },
    ])
      assert.deepEqual(value(await cases.open(app, { ...input, ...change })), first)
    const { dueAt: _, expiresAt: __, ...without } = input
    assert.deepEqual(value(await cases.open(app, without)), first)
  })

  it('answers a repeated key although the time that the request names has passed', async () => {
    const { cases, clock } = await createBench()
    const input = opening({ expiresAt: start + hour })
    const first = value(await cases.open(app, input))
    await clock.advance(2 * hour)
    assert.equal(value(await cases.open(app, input)).reviewCaseId, first.reviewCaseId)
    const late = refused(await cases.open(app, opening({ expiresAt: start + hour })))
    assert.deepEqual([late.code, late.errors?.[0]?.pointer], ['invalid_request', '/expiresAt'])
  })

  it('records what time has done before it answers a repeated key', async () => {
    for (const openAgain of [false, true]) {
      const bench = await createBench({ callback: true })
      const { cases, clock } = bench
      const input = opening({ expiresAt: start + hour })
      const { reviewCaseId } = value(await cases.open(app, input))
      await clock.advance(hour)
      const { expiresAt: _, ...later } = { ...input, idempotencyKey: 'later' }
      const next = openAgain ? value(await cases.open(app, later)).reviewCaseId : reviewCaseId
      assert.equal(next === reviewCaseId, !openAgain)
      const repeated = value(await cases.open(app, input))
      assert.deepEqual(
        [repeated.reviewCaseId, repeated.state, repeated.decision, repeated.callback.state],
        [reviewCaseId, 'expired', 'expired', 'pending'],
      )
      assert.equal(bench.stored(reviewCaseId).state, 'expired')
      assert.equal(bench.events(reviewCaseId).at(-1)?.type, 'review.case.expired')
      assert.deepEqual(value(await cases.open(app, input)), repeated)
    }
  })

  it('takes deadlines after the opening and within 366 days of it, and names the one that is not', async () => {
    const { cases } = await createBench()
    const days = 366 * 24 * hour
    const asked = async (times: { dueAt?: number; expiresAt?: number }) => {
      const opened = await cases.open(app, opening(times))
      return opened.ok ? [] : opened.refusal.errors?.map(({ pointer }) => pointer)
    }
    for (const good of [1, hour, days - 1, days]) {
      assert.deepEqual(await asked({ dueAt: start + good }), [])
      assert.deepEqual(await asked({ expiresAt: start + good }), [])
      assert.deepEqual(await asked({ dueAt: start + good, expiresAt: start + good }), [])
    }
    for (const bad of [-start, -1, 0, days + 1, 3000 * days]) {
      assert.deepEqual(await asked({ dueAt: start + bad }), ['/dueAt'])
      assert.deepEqual(await asked({ expiresAt: start + bad }), ['/expiresAt'])
    }
    assert.deepEqual(await asked({ dueAt: start, expiresAt: start + hour }), ['/dueAt'])
  })

  it('makes one case of many openings at once', async () => {
    const { cases, store, events } = await createBench()
    const input = opening()
    const twins = await Promise.all(Array.from({ length: 10 }, () => cases.open(app, input)))
    const others = await Promise.all(
      Array.from({ length: 10 }, () => cases.open(app, opening({ sessionId: input.sessionId }))),
    )
    const ids = new Set([...twins, ...others].map((result) => value(result).reviewCaseId))
    assert.equal(ids.size, 1)
    assert.equal(store.rows(reviewCases).length, 1)
    assert.equal(events([...ids][0] ?? '').length, 1)
  })

  it('refuses an application that is being deleted, whichever commit comes first', async () => {
    const { cases, store, change } = await createBench()
    const pending = () =>
      change(
        applications,
        ({ applicationId }) => applicationId === 'app_1',
        () => ({ lifecycleState: 'pending_deletion' as const }),
      )
    const [opened] = await Promise.all([cases.open(app, opening()), pending()])
    assert.equal(refused(opened).code, 'application_gone')
    assert.equal(store.rows(reviewCases).length, 0)
  })

  it('names every fault of what it is given', async () => {
    const { cases, store } = await createBench()
    const pointers = async (input: object) => {
      const refusal = refused(await cases.open(app, { ...opening(), ...input }))
      assert.equal(refusal.code, 'invalid_request')
      return refusal.errors?.map(({ pointer }) => pointer)
    }
    assert.deepEqual(await pointers({ sessionId: '' }), ['/sessionId'])
    assert.deepEqual(await pointers({ sessionId: 'a\0b' }), ['/sessionId'])
    assert.deepEqual(await pointers({ checkpointId: '\ud800' }), ['/checkpointId'])
    assert.deepEqual(await pointers({ idempotencyKey: 'x'.repeat(201) }), ['/idempotencyKey'])
    assert.deepEqual(await pointers({ reasonCategory: 'claimed' }), ['/reasonCategory'])
    assert.deepEqual(await pointers({ reviewTier: 'low' }), ['/reviewTier'])
    assert.deepEqual(await pointers({ expiresAt: start }), ['/expiresAt'])
    assert.deepEqual(await pointers({ dueAt: start + 2, expiresAt: start + 1 }), ['/dueAt'])
    assert.deepEqual(await pointers({ dueAt: 1.5 }), ['/dueAt'])
    assert.deepEqual(await pointers({ expiresAt: Number.MAX_SAFE_INTEGER }), ['/expiresAt'])
    assert.deepEqual(await pointers({ presentation: [] }), ['/presentation'])
    assert.deepEqual(await pointers({ presentation: { followUps: [] } }), [
      '/presentation/followUps',
    ])
    assert.deepEqual(await pointers({ presentation: { a: { b: '\udfff' } } }), [
      '/presentation/a/b',
    ])
    assert.deepEqual(await pointers({ presentation: JSON.parse('{"a":{"__proto__":1}}') }), [
      '/presentation',
    ])
    assert.deepEqual(await pointers({ policyResults: [Number.NaN] }), ['/policyResults/0'])
    assert.deepEqual(await pointers({ requestedBy: 'mem_none' }), ['/requestedBy'])
    assert.deepEqual(await pointers({ requestedBy: 'mem_foreign' }), ['/requestedBy'])
    assert.deepEqual(await pointers({ sessionId: '', checkpointId: '' }), [
      '/sessionId',
      '/checkpointId',
    ])
    assert.equal(store.rows(reviewCases).length, 0)
  })
})
