import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { collections } from '@countersign/core'
import type { Collection } from '@countersign/core/ports'
import { bundles } from '../../../content/payload-records.ts'
import { sessions, steps } from '../../../content/records.ts'
import { caseSeals } from '../../../content/seal-records.ts'
import { erasedSubjects, subjectKeys } from '../../../content/vault/records.ts'
import { put } from '../../../kernel/ledger/reads.ts'
import { createSessionRetention } from '../../../removal/erasure/retention.ts'
import { rowsOfSessions } from '../../../removal/erasure/session-rows.ts'
import { reviewCases } from '../../../review/records.ts'
import { waitingSeal } from '../../../sessions/seal/enter-case.ts'
import {
  day,
  hour,
  memoryPorts,
  openCase,
  organization,
  processOn,
  start,
  storeSession,
  value,
} from './world.ts'

const all = collections as readonly unknown[] as readonly Collection[]

/** The Builder plan keeps sessions for 7 days. */
async function world() {
  const ports = memoryPorts()
  const process = processOn(ports)
  const acme = await organization(process.service)
  const rows = rowsOfSessions(all, ['sessions', 'bundles'])
  const runner = process.runnerOf([createSessionRetention(process.deps, rows)])
  const keep = (sessionId: string, subject: string | null, completedAt: number, own?: string) =>
    storeSession(process, {
      tenantId: acme.tenantId,
      applicationId: acme.first,
      sessionId,
      subject,
      steps: [
        { stepId: 'a', text: `of ${sessionId}` },
        ...(own ? [{ stepId: 'b', text: 'another', subject: own }] : []),
      ],
      completedAt,
    })
  /** Two looks, for the first of a process removes nothing. */
  const look = async () => {
    for (let at = 0; at < 2; at++) {
      ports.clock.jump(hour)
      await runner.tick()
    }
  }
  const left = () => ports.store.rows(sessions).map(({ row }) => row.sessionId)
  return { ...ports, ...acme, process, runner, keep, look, left }
}

describe('the retention of sessions', () => {
  it('removes them with all that hangs on them, once their time has passed', async () => {
    const w = await world()
    await w.keep('old', 'grace', start)
    await w.keep('nobody', null, start)
    await w.keep('young', 'grace', start + 2 * day)
    await w.keep('last', 'alan', start)
    const { reviewCaseId } = await openCase(w.process.service, w.application, 'old')
    await w.process.service.reviewCases.cancel(w.application, {
      reviewCaseId,
      reasonCategory: 'end_user_cancelled',
    })
    w.clock.jump(7 * day - 2 * hour)
    await w.look()
    assert.deepEqual(w.left(), ['last', 'nobody', 'old', 'young'])
    await w.look()
    assert.deepEqual(w.left(), ['young'])
    assert.deepEqual(
      new Set(w.store.rows(steps).map(({ row }) => row.sessionId)),
      new Set(['young']),
    )
    assert.equal(w.store.rows(bundles).length, 1)
    assert.equal(w.blobs.objects().size, 1)
    assert.equal(w.store.rows(reviewCases).length, 0)
    // The key of Grace stays for what is left of her; those of others go with their last session.
    assert.equal(w.store.rows(subjectKeys).length, 1)
    const leftover = all.flatMap((each) =>
      w.store.rows(each).filter(({ row }) => JSON.stringify(row).includes('"old"')),
    )
    assert.deepEqual(
      leftover.filter(({ row }) => 'body' in row === false && 'fingerprint' in row === false),
      [],
    )
  })

  it('passes over held subjects, also of single steps, and open cases', async () => {
    const w = await world()
    await w.keep('held', 'grace', start)
    await w.keep('step', 'alan', start, 'grace')
    await w.keep('open', 'alan', start)
    await w.keep('free', 'alan', start)
    const hold = value(
      await w.process.service.legalHolds.place(w.admin, { dataSubjectId: 'grace', matter: 'x' }),
    )
    const review = await openCase(w.process.service, w.application, 'open', {
      expiresAt: start + 300 * day,
    })
    w.clock.jump(100 * day)
    await w.look()
    assert.deepEqual(w.left(), ['held', 'open', 'step'])
    value(await w.process.service.legalHolds.release(w.admin, { holdId: hold.holdId, reason: 'x' }))
    await w.look()
    assert.deepEqual(w.left(), ['open'])
    value(
      await w.process.service.reviewCases.cancel(w.application, {
        reviewCaseId: review.reviewCaseId,
        reasonCategory: 'end_user_cancelled',
      }),
    )
    await w.look()
    assert.deepEqual(w.left(), [])
  })

  it('passes over a held subject however many holds there are before', async () => {
    const w = await world()
    await w.keep('held', 'grace', start)
    await w.keep('free', 'alan', start)
    const hold = (dataSubjectId: string) =>
      w.process.service.legalHolds.place(w.admin, { dataSubjectId, matter: 'x' })
    for (let at = 0; at < 1_000; at++) value(await hold(`other ${at}`))
    w.clock.jump(hour)
    value(await hold('grace'))
    w.clock.jump(100 * day)
    await w.look()
    assert.deepEqual(w.left(), ['held'])
  })

  it('removes closed cases of sessions that never came, by when they were closed', async () => {
    const w = await world()
    const opened = await openCase(w.process.service, w.application, 'never')
    w.clock.jump(3 * day)
    value(
      await w.process.service.reviewCases.cancel(w.application, {
        reviewCaseId: opened.reviewCaseId,
        reasonCategory: 'end_user_cancelled',
      }),
    )
    const [ended] = w.store.rows(reviewCases)
    const seal = ended && waitingSeal(ended.row, w.clock.now())
    assert.ok(seal)
    await w.store.commit({ tenant: seal.tenantId, puts: [put(caseSeals, seal, null)] })
    w.clock.jump(7 * day - 2 * hour)
    await w.look()
    assert.equal(w.store.rows(reviewCases).length, 1)
    assert.equal(w.store.rows(caseSeals).length, 1)
    await w.look()
    assert.equal(w.store.rows(reviewCases).length, 0)
    assert.equal(w.store.rows(caseSeals).length, 0)
  })

  it('leaves a case whose session comes at that very moment', async () => {
    const w = await world()
    const opened = await openCase(w.process.service, w.application, 'late')
    value(
      await w.process.service.reviewCases.cancel(w.application, {
        reviewCaseId: opened.reviewCaseId,
        reasonCategory: 'end_user_cancelled',
      }),
    )
    let came = false
    const racing = processOn({
      ...w,
      store: {
        ...w.store,
        commit: async (set) => {
          if (!came && set.removes?.some((each) => each.in === reviewCases.name)) {
            came = true
            await w.keep('late', 'grace', w.clock.now())
          }
          return w.store.commit(set)
        },
      },
    })
    const rows = rowsOfSessions(all, ['sessions', 'bundles'])
    const runner = racing.runnerOf([createSessionRetention(racing.deps, rows)])
    await runner.tick()
    w.clock.jump(8 * day)
    for (let looks = 0; looks < 3; looks++) {
      w.clock.jump(2 * hour)
      await runner.tick()
    }
    assert.ok(came)
    assert.deepEqual([w.store.rows(reviewCases).length, w.left()], [1, ['late']])
  })

  it('keeps a closed case, and its session, while its outcome is still being sent', async () => {
    const w = await world()
    value(
      await w.process.service.applications.setOutcomeCallback(w.admin, {
        applicationId: w.first,
        url: 'https://app.example/outcomes',
        enabled: true,
      }),
    )
    await w.keep('came', 'grace', start)
    for (const sessionId of ['came', 'never']) {
      const { reviewCaseId } = await openCase(w.process.service, w.application, sessionId)
      value(
        await w.process.service.reviewCases.cancel(w.application, {
          reviewCaseId,
          reasonCategory: 'end_user_cancelled',
        }),
      )
    }
    w.clock.jump(100 * day)
    await w.look()
    assert.deepEqual(w.left(), ['came'])
    assert.equal(w.store.rows(reviewCases).length, 2)
    const ended = w.store.rows(reviewCases).map((was) => ({
      in: reviewCases.name,
      row: { ...was.row, callback: { ...was.row.callback, state: 'failed' as const } },
      was,
    }))
    assert.ok((await w.store.commit({ tenant: null, puts: ended })).committed)
    await w.look()
    assert.deepEqual([w.left(), w.store.rows(reviewCases)], [[], []])
  })

  it('removes what tells of an erasure with the last data of its subject', async () => {
    const w = await world()
    await w.keep('first', 'grace', start)
    await w.keep('last', 'grace', start + 3 * day)
    value(
      await w.process.service.erasureRequests.create(w.admin, {
        dataSubjectId: 'grace',
        reason: 'objection',
        confirm: true,
      }),
    )
    await w.process.runner.tick()
    assert.deepEqual(w.store.rows(subjectKeys), [])
    w.clock.jump(8 * day)
    await w.look()
    assert.deepEqual([w.left(), w.store.rows(erasedSubjects).length], [['last'], 1])
    w.clock.jump(3 * day)
    await w.look()
    await w.look()
    assert.deepEqual([w.left(), w.store.rows(erasedSubjects)], [[], []])
  })

  it('removes nothing by a clock that runs ahead for less than a look', async () => {
    const w = await world()
    await w.keep('one', 'grace', start)
    await w.runner.tick()
    w.clock.jump(300 * day)
    await w.runner.tick()
    assert.deepEqual(w.left(), ['one'])
    w.clock.jump(-300 * day)
    await w.look()
    assert.deepEqual(w.left(), ['one'])
  })

  it('finds each collection of a session by an index', () => {
    const found = rowsOfSessions(all, ['sessions', 'bundles']).map(
      ({ collection }) => collection.name,
    )
    for (const name of ['steps', 'traces', 'sessionAliases', 'seals', 'reviewCases'])
      assert.ok(found.includes(name), name)
    const lost = { ...(steps as unknown as Collection), name: 'lost', indexes: {} }
    assert.throws(() => rowsOfSessions([lost], []), /lost has rows of sessions/)
  })
})
