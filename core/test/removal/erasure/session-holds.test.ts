import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Read } from '@countersign/core/ports'
import { placeOf, type StoredSession, type StoredStep, steps } from '../../../content/records.ts'
import { answer, createLedger, type UnitOfWork } from '../../../kernel/ledger/ledger.ts'
import { put } from '../../../kernel/ledger/reads.ts'
import { namesSubject } from '../../../removal/erasure/session-holds.ts'
import { reviewCases } from '../../../review/records.ts'
import { createManualClock, createMemoryStore, seededRandom } from '../../../testing/index.ts'
import { start, value } from './world.ts'

const owner = { tenantId: 'ten_1', applicationId: 'app_1' }
const session = { ...owner, sessionId: 'own', dataSubjectId: null } as StoredSession

/** A step as far as the look at it reads it. */
function stepOf(sessionId: string, at: number, subject: string | null): StoredStep {
  const stepId = `${sessionId}-${at}`
  const place = placeOf(start + at, stepId)
  return { ...owner, scope: '', stepId, sessionId, place, subject } as StoredStep
}

/** A session of so many steps, the last of which is of `last`, beside many steps of `held` in other sessions. */
async function looked(subjects: readonly string[], own: number, last: string | null) {
  const store = createMemoryStore({ collections: [steps, reviewCases], logs: [] })
  const rows = [
    ...Array.from({ length: own }, (_, at) => stepOf('own', at, at === own - 1 ? last : null)),
    ...Array.from({ length: 2_000 }, (_, at) => stepOf(`other-${at % 50}`, at, 'held')),
  ]
  await store.commit({ tenant: null, puts: rows.map((row) => put(steps, row, null)) })
  const clock = createManualClock(start)
  const ledger = createLedger({ store, clock, random: seededRandom(1) })
  const asked: Read[] = []
  const names = value(
    await ledger.execute(owner.tenantId, async (unit) => {
      const noting: UnitOfWork = {
        ...unit,
        read: (reads) => {
          asked.push(...reads)
          return unit.read(reads)
        },
      }
      return answer(await namesSubject(noting, session, new Set(subjects)))
    }),
  )
  return { names, asked }
}

describe('the subjects of a session', () => {
  it('are found in any of its steps', async () => {
    for (const own of [1, 499, 500, 501, 1_300]) {
      assert.equal((await looked(['held', 'ada'], own, 'ada')).names, true, `${own} steps`)
      assert.equal((await looked(['held', 'ada'], own, 'grace')).names, false, `${own} steps`)
    }
  })

  it('are looked for in its own steps and cases alone, whatever others a subject has', async () => {
    const subjects = Array.from({ length: 600 }, (_, at) => `held-${at}`)
    const { names, asked } = await looked(['held', ...subjects], 1_300, null)
    assert.equal(names, false)
    const [ofCases, ...others] = asked.filter((read) => 'list' in read && read.list !== steps.name)
    assert.ok(ofCases && 'take' in ofCases && ofCases.take === 0, 'its cases are counted')
    assert.deepEqual(others, [])
    const ofSteps = asked.filter((read) => read !== ofCases)
    assert.equal(ofSteps.length, 3)
    for (const read of ofSteps) {
      assert.ok('list' in read && read.by === 'bySession' && read.take <= 500)
      const pinned = read.where.filter(([, is]) => is === '=').map(([column]) => column)
      assert.deepEqual(pinned, ['tenantId', 'applicationId', 'sessionId'])
    }
  })

  it('are not read where nobody is looked for', async () => {
    assert.deepEqual(await looked([], 10, 'ada'), { names: false, asked: [] })
  })
})
