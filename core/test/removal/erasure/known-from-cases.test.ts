import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { plainSealer } from '@countersign/core/testing'
import { auditLog } from '../../../kernel/ledger/audit.ts'
import { openedTexts } from '../../../kernel/sealing/sealed-texts.ts'
import { erasureRequests } from '../../../removal/erasure/records.ts'
import { reviewCases } from '../../../review/records.ts'
import { ingestedWorld } from './ingested.ts'
import { day, hour, openCase, value } from './world.ts'

/** An organization that knows Grace from cases alone: two name her, of which one is of Alan's session. */
async function world() {
  const w = await ingestedWorld()
  const { service, application, admin } = w
  await w.send({ sessionId: 'his', text: 'text of alan', subject: 'alan' })
  const opened = [
    await openCase(service, application, 'never', {
      checkpointId: 'a',
      presentation: { text: 'hers' },
      dataSubjectId: 'grace',
    }),
    await openCase(service, application, 'his', {
      checkpointId: 'b',
      presentation: { text: 'hers', dataSubjectId: 'grace' },
    }),
    await openCase(service, application, 'his', {
      checkpointId: 'c',
      presentation: { text: 'his' },
    }),
  ]
  const [first = '', second = '', third = ''] = opened.map(({ reviewCaseId }) => reviewCaseId)
  const lookUp = async (dataSubjectId: string) =>
    value(await service.subjects.lookup(admin, { dataSubjectId }))
  const cancel = async (reviewCaseId: string) =>
    value(
      await service.reviewCases.cancel(application, {
        reviewCaseId,
        reasonCategory: 'end_user_cancelled',
      }),
    )
  const textOf = async (reviewCaseId: string) =>
    value(await service.reviewCases.read(admin, { reviewCaseId })).presentation?.text ?? null
  return { ...w, first, second, third, lookUp, cancel, textOf }
}

describe('a person known from cases alone', () => {
  it('is looked up, by their id and by their pseudonym', async () => {
    const w = await world()
    const found = await w.lookUp('grace')
    assert.match(found.dataSubjectId, /^sub_/)
    const { applicationIds, sessionCount, caseCount } = found
    assert.deepEqual([applicationIds, sessionCount, caseCount], [[w.key.applicationId], 0, 2])
    assert.deepEqual(await w.lookUp(found.dataSubjectId), found)
    assert.equal((await w.lookUp('alan')).caseCount, 0)
    const told = (w.store.entries(auditLog).get(w.tenantId) ?? []).map(({ entry }) =>
      new TextDecoder().decode(entry),
    )
    assert.ok(!told.some((entry) => entry.includes('grace')))
  })

  it('is named by an opening, by the id in its presentation or by nobody', async () => {
    const w = await world()
    const { dataSubjectId } = await w.lookUp('grace')
    const about = () =>
      Object.fromEntries(
        w.store.rows(reviewCases).map(({ row }) => [row.checkpointId, row.dataSubjectId]),
      )
    const named = { a: dataSubjectId, b: dataSubjectId, c: null }
    assert.deepEqual(about(), named)
    for (const [at, strange] of ['', 'two\nlines', 'x'.repeat(10_000)].entries())
      await openCase(w.service, w.application, 'other', {
        checkpointId: `strange-${at}`,
        presentation: { dataSubjectId: strange },
      })
    assert.deepEqual(about(), { ...named, 'strange-0': null, 'strange-1': null, 'strange-2': null })
    const both = { presentation: { dataSubjectId: 'alan' }, dataSubjectId: 'grace' }
    await openCase(w.service, w.application, 'other', { checkpointId: 'both', ...both })
    assert.equal(about().both, dataSubjectId)
  })

  it('is erased: open cases end with the first commit, and no text of theirs is left', async () => {
    const w = await world()
    await w.cancel(w.second)
    value(await w.erase('grace'))
    await w.work(2)
    const [begun] = w.store.rows(erasureRequests)
    assert.notEqual(begun?.row.begunAt ?? null, null)
    assert.deepEqual(await Promise.all([w.first, w.second, w.third].map(w.textOf)), [
      null,
      null,
      'his',
    ])
    w.clock.jump(hour)
    await w.rest()
    const [request] = w.store.rows(erasureRequests)
    assert.equal(request?.row.status, 'completed')
    assert.deepEqual(request?.row.applicationIds, [w.key.applicationId])
    assert.deepEqual([request?.row.counts?.cases, request?.row.counts?.sessions], [2, 0])
    const rows = new Map(
      w.store
        .rows(reviewCases)
        .map(({ row }) => [row.reviewCaseId, openedTexts(reviewCases, plainSealer(), row)]),
    )
    assert.equal(rows.get(w.first)?.state, 'cancelled')
    assert.equal(rows.get(w.first)?.presentation, null)
    assert.equal(rows.get(w.second)?.presentation, null)
    assert.equal(rows.get(w.third)?.state, 'open')
  })

  it('is named by a later opening where nobody was, and refused where somebody else is', async () => {
    const w = await world()
    const { service, application } = w
    const again = (sessionId: string, checkpointId: string, dataSubjectId: string) =>
      service.reviewCases.open(application, {
        sessionId,
        checkpointId,
        reasonCategory: 'high_risk_action',
        presentation: { text: 'again' },
        dataSubjectId,
        idempotencyKey: `again ${sessionId} ${checkpointId} ${dataSubjectId}`,
      })
    const unknown = await openCase(service, application, 'unknown', { presentation: { text: 'd' } })
    assert.equal((await w.lookUp('grace')).caseCount, 2)
    const named = value(await again('unknown', unknown.checkpoint.checkpointId, 'grace'))
    const { eventSequence, history, updatedAt } = named
    assert.equal(history.at(-1)?.step, 'subject_named')
    assert.deepEqual(named, { ...unknown, eventSequence, history, updatedAt })
    assert.equal(eventSequence, unknown.eventSequence + 1)
    assert.deepEqual(
      await openCase(service, application, 'unknown', { presentation: { text: 'd' } }),
      named,
    )
    assert.equal((await w.lookUp('grace')).caseCount, 3)
    // Alan's by its session: his erasure would miss what was shown before.
    for (const [at, person] of [['c', 'grace'] as const, ['b', 'alan'] as const]) {
      const refusal = await again('his', at, person)
      assert.equal(refusal.ok ? null : refusal.refusal.code, 'idempotency_conflict')
    }
    value(await again('his', 'c', 'alan'))
    value(await w.erase('alan'))
    await w.rest()
    assert.equal(await w.textOf(w.third), null)
    value(await w.erase('grace'))
    await w.rest()
    assert.equal(await w.textOf(unknown.reviewCaseId), null)
  })

  it('keeps what is theirs where the subject of its session is erased', async () => {
    const w = await world()
    value(await w.erase('alan'))
    await w.rest()
    assert.deepEqual(await Promise.all([w.first, w.second, w.third].map(w.textOf)), [
      'hers',
      'hers',
      null,
    ])
  })

  it('is held: nothing of theirs is erased, nor removed for its age', async () => {
    const w = await world()
    await w.cancel(w.first)
    await w.cancel(w.second)
    await w.cancel(w.third)
    const hold = value(await w.hold('grace'))
    value(await w.erase('grace'))
    await w.rest()
    assert.equal(w.store.rows(erasureRequests)[0]?.row.status, 'blocked_by_hold')
    for (let times = 0; times < 3; times++) {
      w.clock.jump(4_000 * day)
      await w.rest()
    }
    const left = () => w.store.rows(reviewCases).map(({ row }) => row.reviewCaseId)
    assert.deepEqual(new Set(left()), new Set([w.first, w.second, w.third]))
    value(
      await w.service.legalHolds.release(w.admin, { holdId: hold.holdId, reason: 'it is over' }),
    )
    await w.rest()
    w.clock.jump(2 * hour)
    await w.rest()
    assert.deepEqual(left(), [])
  })

  it('is erased though a hold keeps the subject of the session that a case is in', async () => {
    const w = await world()
    await w.cancel(w.third)
    value(await w.hold('alan'))
    value(await w.erase('grace'))
    value(await w.erase('alan'))
    await w.rest()
    w.clock.jump(hour)
    await w.rest()
    const byStatus = w.store.rows(erasureRequests).map(({ row }) => row.status)
    assert.deepEqual(byStatus.sort(), ['blocked_by_hold', 'completed'])
    assert.deepEqual(await Promise.all([w.first, w.second, w.third].map(w.textOf)), [
      null,
      null,
      'his',
    ])
    // What is removed for its age is the session as a whole, which the hold keeps with her case in it.
    for (let times = 0; times < 3; times++) {
      w.clock.jump(4_000 * day)
      await w.rest()
    }
    const left = w.store.rows(reviewCases).map(({ row }) => row.reviewCaseId)
    assert.deepEqual(new Set(left), new Set([w.second, w.third]))
  })

  it('is kept by their hold alone where the subject of its session is erased', async () => {
    const w = await world()
    value(await w.hold('grace'))
    value(await w.erase('alan'))
    await w.rest()
    w.clock.jump(hour)
    await w.rest()
    assert.deepEqual(
      w.store.rows(erasureRequests).map(({ row }) => row.status),
      ['completed'],
    )
    assert.deepEqual(await Promise.all([w.first, w.second, w.third].map(w.textOf)), [
      'hers',
      'hers',
      null,
    ])
  })
})
