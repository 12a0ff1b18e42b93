import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sessions, steps } from '../../../content/records.ts'
import { erasureRequests } from '../../../removal/erasure/records.ts'
import { type Ingested, ingestedWorld } from './ingested.ts'
import { readable, value } from './world.ts'

/** The most commits that the erasures here take. */
const most = 14

/** Grace's session, whose first step was sealed while it was nobody's. */
async function sessionOfGrace(): Promise<Ingested> {
  const w = await ingestedWorld()
  await w.send({ sessionId: 'shared', text: 'of nobody', at: 5_000 })
  await w.send({ sessionId: 'shared', text: 'of grace', subject: 'grace', at: 4_000 })
  return w
}

const subjectOf = (w: Ingested) => w.store.rows(sessions)[0]?.row.dataSubjectId

describe('a session that an earlier step of somebody else reaches during the erasure of its subject', () => {
  it('tells each step as it can be read', async () => {
    for (let commits = 0; commits < most; commits++) {
      const w = await sessionOfGrace()
      value(await w.erase('grace'))
      await w.work(commits)
      await w.send({ sessionId: 'shared', text: 'of alan', subject: 'alan', at: 1 })
      await w.rest()
      const lines = await readable(w.process, w.tenantId, { asShown: true })
      for (const { row } of w.store.rows(steps))
        assert.equal(
          row.payloadStatus,
          lines.some((line) => line.startsWith(`shared ${row.stepId} `)) ? 'readable' : 'erased',
          `${row.place} after ${commits} commits`,
        )
      assert.ok(lines.some((line) => line.includes('of alan')))
      assert.ok(!lines.some((line) => line.includes('of grace')))
    }
  })

  it("stays its subject's from the first commit until its content is gone", async () => {
    const w = await sessionOfGrace()
    value(await w.erase('grace'))
    const grace = subjectOf(w)
    while (w.store.rows(erasureRequests)[0]?.row.begunAt === null) await w.work(1)
    await w.send({ sessionId: 'shared', text: 'of alan', subject: 'alan', at: 2 })
    assert.equal(subjectOf(w), grace)
    await w.rest()
    await w.send({ sessionId: 'shared', text: 'again of alan', subject: 'alan', at: 1 })
    assert.notEqual(subjectOf(w), grace)
  })
})
