import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { bundlePath, bundles } from '../../../content/payload-records.ts'
import { sessions, steps } from '../../../content/records.ts'
import { sessionAliases } from '../../../content/trace-records.ts'
import { subjectKeys } from '../../../content/vault/records.ts'
import { messages } from '../../../outbox/records.ts'
import { outcomeKeys } from '../../../review/outcome-keys.ts'
import { reviewCases } from '../../../review/records.ts'
import { traceOf } from '../../sessions/world.ts'
import { type Ingested, ingestedWorld } from './ingested.ts'
import { day, hour, openCase, value } from './world.ts'

/** Erases a subject, with time for what it waits for, and tells its state. */
async function erased(w: Ingested, subject: string): Promise<string> {
  const { erasureRequestId } = value(await w.erase(subject))
  await w.rest()
  return value(await w.service.erasureRequests.read(w.admin, { erasureRequestId })).status
}

const has = async (w: Ingested, text: string) => (await w.everything()).includes(text)

describe('an erasure in a session of several', () => {
  it('meets a session whose start moves back while it is at work', async () => {
    for (let commits = 1; commits < 14; commits++) {
      const w = await ingestedWorld()
      for (const sessionId of ['one', 'two', 'three'])
        await w.send({ sessionId, text: `of ${sessionId}`, subject: 'grace', at: 5_000 })
      await w.closedCase('three', null, 'case of three')
      value(await w.annotate('three', null, 'note of three'))
      value(await w.erase('grace'))
      await w.work(commits)
      await w.send({ sessionId: 'three', text: 'earlier', at: 1 })
      await w.rest()
      for (const text of ['of one', 'of two', 'case of three', 'note of three'])
        assert.ok(!(await has(w, text)), `${text} after ${commits} commits`)
    }
  })

  for (const subject of ['alan', null])
    it(`leaves what nobody is named in of a submission with a step of theirs (${subject})`, async () => {
      const w = await ingestedWorld()
      value(
        await w.submit({
          sessionId: 'shared',
          subject,
          metadata: 'about the session',
          steps: [
            { text: 'of alan', subject: 'alan' },
            { text: 'of grace', subject: 'grace' },
            { text: 'of nobody' },
          ],
        }),
      )
      assert.equal(await erased(w, 'grace'), 'completed')
      assert.ok(!(await has(w, 'of grace')))
      const [session] = w.store.rows(sessions)
      assert.equal(session?.row.payloadStatus, 'partly_erased')
      for (const text of ['about the session', 'of nobody', 'of alan'])
        assert.ok(await has(w, text), text)
      const keys = w.store.rows(subjectKeys).map(({ row }) => row.subjectId)
      assert.equal(keys.length, subject ? 1 : 2, keys.join())
      // That of the submitted text is gone.
      assert.ok(!keys.some((key) => key.startsWith('submission:')))
    })

  it('waits where the text of a submission is also that of a held subject', async () => {
    for (const named of [{ subject: 'alan' }, { subject: 'grace' }, {}]) {
      const w = await ingestedWorld()
      const both = ['grace', 'alan'].map((subject) => ({ text: `of ${subject}`, subject }))
      value(await w.submit({ sessionId: 'shared', ...named, steps: both }))
      const held = value(await w.hold('alan'))
      assert.equal(await erased(w, 'grace'), 'blocked_by_hold')
      assert.ok(await has(w, 'of grace'))
      value(await w.service.legalHolds.release(w.admin, { holdId: held.holdId, reason: 'x' }))
      await w.rest()
      assert.ok(!(await has(w, 'of grace')))
      assert.ok(await has(w, 'of alan'))
    }
  })

  it('waits for a hold on somebody else that comes after its first commit', async () => {
    const w = await ingestedWorld()
    const count = 120
    for (let at = 0; at < count; at++) {
      const named = ['grace', 'alan'].map((subject) => ({ text: `of ${subject}`, subject }))
      const session = { sessionId: `shared-${at}`, subject: 'grace', metadata: `about ${at};` }
      value(await w.submit({ ...session, steps: named }))
    }
    const { erasureRequestId } = value(await w.erase('grace'))
    const read = async () =>
      value(await w.service.erasureRequests.read(w.admin, { erasureRequestId }))
    const texts = () =>
      w.store.rows(subjectKeys).filter(({ row }) => row.subjectId.startsWith('submission:')).length
    for (let commits = 0; texts() === count; commits++) {
      assert.ok(commits < 9, 'the erasure began')
      await w.work(1)
    }
    const left = texts()
    assert.ok(left > 0, 'the first commit leaves some')
    const held = value(await w.hold('alan'))
    await w.rest()
    const { status, waitingFor } = await read()
    assert.deepEqual([status, waitingFor, texts()], ['blocked_by_hold', 'hold', left])
    const [bytes] = [await w.everything()]
    assert.ok(bytes.includes('of alan'))
    value(await w.service.legalHolds.release(w.admin, { holdId: held.holdId, reason: 'x' }))
    await w.rest()
    assert.deepEqual([(await read()).status, texts()], ['completed', 0])
  })

  it('ends outcomes after 72 hours also while a hold on somebody else keeps it from going on', async () => {
    const w = await ingestedWorld()
    const callback = { url: 'https://application.example/outcome', enabled: true }
    value(
      await w.service.applications.setOutcomeCallback(w.admin, {
        applicationId: w.first,
        ...callback,
      }),
    )
    await w.send({ sessionId: 'own', text: 'of grace', subject: 'grace' })
    const cases = 3
    for (let at = 0; at < cases; at++)
      await openCase(w.service, w.application, 'own', { checkpointId: `case ${at}` })
    for (let at = 0; at < 120; at++) {
      const named = ['grace', 'alan'].map((subject) => ({ text: `of ${subject}`, subject }))
      value(await w.submit({ sessionId: `shared-${at}`, subject: 'grace', steps: named }))
    }
    const { erasureRequestId } = value(await w.erase('grace'))
    const read = async () =>
      value(await w.service.erasureRequests.read(w.admin, { erasureRequestId }))
    const owed = () => w.store.rows(outcomeKeys).length
    for (let commits = 0; owed() === 0; commits++) {
      assert.ok(commits < 9, 'the erasure began')
      await w.work(1)
    }
    const begunAt = w.clock.now()
    const held = value(await w.hold('alan'))
    await w.work()
    assert.deepEqual([(await read()).status, owed()], ['blocked_by_hold', cases])
    w.clock.jump(begunAt + 72 * hour - w.clock.now() - 1)
    await w.work()
    assert.equal(owed(), cases)
    w.clock.jump(begunAt + 72 * hour - w.clock.now())
    await w.work()
    const callbacks = w.store.rows(messages).filter(({ row }) => row.type === 'review.outcome')
    assert.deepEqual([(await read()).status, owed(), callbacks], ['blocked_by_hold', 0, []])
    const states = w.store.rows(reviewCases).map(({ row }) => row.callback.state)
    assert.deepEqual(new Set(states), new Set(['failed']))
    value(await w.service.legalHolds.release(w.admin, { holdId: held.holdId, reason: 'x' }))
    await w.rest()
    assert.equal((await read()).status, 'completed')
  })

  it('waits for a later hold on whose key is on what is in its session', async () => {
    for (let commits = 1; commits < 9; commits++) {
      const w = await ingestedWorld()
      await w.send({ sessionId: 'shared', text: 'of alan', subject: 'alan', at: 5 })
      await w.send({ sessionId: 'shared', text: 'of the session', at: 6 })
      await w.send({ sessionId: 'shared', text: 'of grace', subject: 'grace', at: 1 })
      const { erasureRequestId } = value(await w.erase('grace'))
      await w.work(commits)
      const stays = await has(w, 'of the session')
      const held = value(await w.hold('alan'))
      await w.rest()
      assert.equal(await has(w, 'of the session'), stays, `after ${commits} commits`)
      assert.ok(!(await has(w, 'of grace')) || commits < 2)
      value(await w.service.legalHolds.release(w.admin, { holdId: held.holdId, reason: 'x' }))
      await w.rest()
      assert.ok(!(await has(w, 'of the session')))
      assert.ok(await has(w, 'of alan'))
      const request = value(await w.service.erasureRequests.read(w.admin, { erasureRequestId }))
      assert.equal(request.status, 'completed')
    }
  })

  it('is not kept by a hold on somebody whose content is not theirs', async () => {
    const w = await ingestedWorld()
    await w.send({ sessionId: 'shared', text: 'of alan', subject: 'alan', at: 1 })
    await w.send({ sessionId: 'shared', text: 'of grace', subject: 'grace', at: 2 })
    value(await w.hold('alan'))
    assert.equal(await erased(w, 'grace'), 'completed')
    assert.deepEqual([await has(w, 'of grace'), await has(w, 'of alan')], [false, true])
  })

  it('takes steps of nobody with the subject that the session has in the end', async () => {
    const w = await ingestedWorld()
    await w.send({ sessionId: 'shared', text: 'of grace', subject: 'grace', at: 5 })
    await w.send({ sessionId: 'shared', text: 'of the session', at: 6 })
    await w.send({ sessionId: 'shared', text: 'of alan', subject: 'alan', at: 1 })
    const held = value(await w.hold('grace'))
    assert.equal(await erased(w, 'alan'), 'blocked_by_hold')
    value(await w.service.legalHolds.release(w.admin, { holdId: held.holdId, reason: 'x' }))
    await w.rest()
    assert.deepEqual(
      await Promise.all(['of grace', 'of the session', 'of alan'].map((text) => has(w, text))),
      [true, false, false],
    )
    const status = Object.fromEntries(
      w.store.rows(steps).map(({ row }) => [row.dataSubjectId === null, row.payloadStatus]),
    )
    assert.equal(status.true, 'erased')
  })

  it('takes what hangs on its subject’s steps alone, and leaves that of others in their own', async () => {
    const w = await ingestedWorld()
    const grace = await w.send({ sessionId: 'alan’s', text: 'a', subject: 'grace', at: 9 })
    const alan = await w.send({ sessionId: 'alan’s', text: 'b', subject: 'alan', at: 1 })
    const inGraces = await w.send({ sessionId: 'grace’s', text: 'c', subject: 'alan', at: 9 })
    await w.send({ sessionId: 'grace’s', text: 'd', subject: 'grace', at: 1 })
    for (const [sessionId, stepId, text] of [
      ['alan’s', grace.stepId, 'hers in his'],
      ['alan’s', alan.stepId, 'his in his'],
      ['alan’s', null, 'of his session'],
      ['grace’s', inGraces.stepId, 'his in hers'],
      ['grace’s', null, 'of her session'],
    ] as const) {
      await w.closedCase(sessionId, stepId, `case ${text}`)
      value(await w.annotate(sessionId, stepId, `note ${text}`))
    }
    assert.equal(await erased(w, 'grace'), 'completed')
    const told = await w.everything()
    for (const what of ['case', 'note']) {
      for (const text of ['hers in his', 'of her session'])
        assert.ok(
          !told.includes(`"${what} ${text}"}`) && !told.includes(`"text":"${what} ${text}"`),
          `${what} ${text}`,
        )
      for (const text of ['his in his', 'of his session', 'his in hers'])
        assert.ok(told.includes(`"text":"${what} ${text}"`), `${what} ${text}`)
    }
  })

  it('finds steps that name its subject and hold nothing', async () => {
    const w = await ingestedWorld()
    const steps = [{ text: 'of alan' }, { text: null, subject: 'grace' }]
    value(await w.submit({ sessionId: 'shared', subject: 'alan', steps }))
    await w.closedCase('shared', 'step-1', 'case of grace')
    value(await w.annotate('shared', 'step-1', 'note of grace'))
    value(await w.hold('grace'))
    assert.equal(await erased(w, 'alan'), 'blocked_by_hold')
    w.clock.jump(30 * day)
    await w.rest()
    assert.equal(w.store.rows(sessions).length, 1)
    const [held] = value(
      await w.service.legalHolds.list(w.admin, { active: true, page: 1, pageSize: 1 }),
    ).legalHolds
    value(await w.service.legalHolds.release(w.admin, { holdId: held?.holdId ?? '', reason: 'x' }))
    const other = await ingestedWorld()
    value(await other.submit({ sessionId: 'shared', subject: 'alan', steps }))
    await other.closedCase('shared', 'step-1', 'case of grace')
    value(await other.annotate('shared', 'step-1', 'note of grace'))
    assert.equal(await erased(other, 'grace'), 'completed')
    const told = await other.everything()
    assert.ok(!told.includes('"text":"case of grace"') && !told.includes('"text":"note of grace"'))
    assert.ok(told.includes('of alan'))
  })
})

describe('a dissolved session', () => {
  const rehomed = async () => {
    const w = await ingestedWorld()
    await w.send({ sessionId: null, trace: 7, text: 'of the trace', at: 5 })
    await w.send({ sessionId: 'named', trace: 7, text: 'of grace', subject: 'grace', at: 1 })
    await w.work()
    assert.equal(w.store.rows(sessionAliases).length, 1)
    return w
  }

  it('has its cases opened at the session that took its steps', async () => {
    const w = await rehomed()
    await w.closedCase(traceOf(7), null, 'by its old id')
    assert.deepEqual(
      w.store.rows(reviewCases).map(({ row }) => row.sessionId),
      ['named'],
    )
    assert.equal(await erased(w, 'grace'), 'completed')
    assert.ok(!(await has(w, '"text":"by its old id"')))
  })

  it('leaves no key behind, whichever way the session goes', async () => {
    const [byErasure, byAge] = [await rehomed(), await rehomed()]
    assert.equal(await erased(byErasure, 'grace'), 'completed')
    byAge.clock.jump(hour)
    await byAge.rest()
    byAge.clock.jump(30 * day)
    for (let look = 0; look < 3; look++) {
      byAge.clock.jump(hour)
      await byAge.rest()
    }
    assert.equal(byAge.store.rows(sessions).length, 0)
    for (const w of [byErasure, byAge])
      assert.deepEqual(
        w.store.rows(subjectKeys).map(({ row }) => row.subjectId),
        [],
      )
  })

  it('is not moved past an erasure that is at work on it', async () => {
    for (let commits = 1; commits < 20; commits++) {
      const w = await ingestedWorld()
      await w.send({ sessionId: null, trace: 7, text: 'of nobody', at: 9 })
      await w.send({ sessionId: null, trace: 7, text: 'of grace', subject: 'grace', at: 2 })
      await w.send({ sessionId: 'a', text: 'in a', subject: 'grace', at: 1 })
      await w.closedCase(traceOf(7), null, 'case of grace')
      value(await w.erase('grace'))
      await w.work(commits)
      await w.send({ sessionId: 'a', trace: 7, text: 'names it', subject: null, at: 20 })
      await w.rest()
      const told = await w.everything()
      for (const text of ['of nobody', 'of grace', 'in a', '"text":"case of grace"'])
        assert.ok(!told.includes(text), `${text} after ${commits} commits`)
      assert.deepEqual(
        w.store.rows(sessions).map(({ row }) => row.sessionId),
        ['a'],
      )
    }
  })
})

describe('two erasures at once', () => {
  it('leave nothing of either in a bundle that they share', async () => {
    const w = await ingestedWorld()
    const texts = ['grace', 'alan', null].map((subject) => ({ text: `of ${subject}`, subject }))
    value(await w.submit({ sessionId: 'shared', steps: texts }))
    const [bundle] = w.store.rows(bundles)
    assert.ok(bundle)
    const path = bundlePath(bundle.row)
    const ranges = w.store
      .rows(steps)
      .flatMap(({ row }) => (row.dataSubjectId === null ? [] : row.payloads))
    value(await w.erase('grace'))
    value(await w.erase('alan'))
    let raced = false
    // The first write of the bundle waits until the other erasure is done with it.
    await w.workMeeting(async () => {
      if (raced) return
      raced = true
      await w.work()
    })
    assert.ok(raced)
    await w.rest()
    const bytes = w.blobs.objects().get(path)
    for (const { offset, length } of ranges)
      assert.ok(!bytes || bytes.subarray(offset, offset + length).every((byte) => byte === 0))
  })
})

describe('a session that goes for its age', () => {
  it('is gone at once, and whole, whatever hold comes while its rows go', async () => {
    const pieces = new Set<number>()
    for (let commits = 2; commits < 14; commits++) {
      const w = await ingestedWorld()
      const many = Array.from({ length: 250 }, (_, at) => ({ text: `text ${at}` }))
      value(await w.submit({ sessionId: 'old', subject: 'grace', steps: many }))
      w.clock.jump(30 * day)
      // A look goes by the time of the one before as well.
      await w.work()
      w.clock.jump(hour + 1)
      await w.work(commits)
      const before = w.store.rows(steps).length
      pieces.add(before)
      const gone = !(await w.service.sessions.read(w.admin, { sessionId: 'old' })).ok
      assert.ok(gone || before === 250, `cut after ${commits} commits`)
      value(await w.hold('grace'))
      for (let look = 0; look < 3; look++) {
        w.clock.jump(hour)
        await w.rest()
      }
      assert.equal(w.store.rows(steps).length, gone ? 0 : 250, `after ${commits} commits`)
      assert.equal(w.store.rows(sessions).length, gone ? 0 : 1)
    }
    assert.ok(pieces.size > 2, [...pieces].join())
  })
})
