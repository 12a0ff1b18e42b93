import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { erasureRequests } from '../../../removal/erasure/records.ts'
import { reviewCases } from '../../../review/records.ts'
import { type Given, hers, shown, worldOf } from './shown.ts'
import { deaths, holdsAt, isUnreadable } from './unreadable.ts'
import { hour } from './world.ts'

const full: Given = {
  seed: 1,
  late: 2,
  submissions: true,
  openCases: 2,
  closedCases: 1,
  namingCases: 3,
  marks: true,
  packages: true,
  callback: true,
}

describe('a person whose erasure has begun', () => {
  it('is shown by every read until then, and by none after its first commit', async () => {
    const w = await worldOf(full)
    const before = await shown(w, { withExports: true })
    const told = [...before].flatMap(([name, text]) => (text.includes(hers) ? name : []))
    const ways = new Set(told.map((name) => name.split(' ')[0]))
    const all = ['download', 'list', 'session', 'document', 'annotations', 'flags', 'reviews']
    assert.deepEqual(ways, new Set([...all, 'step', 'export', 'case']))
    const hasBegun = () => w.store.rows(erasureRequests)[0]?.row.begunAt !== null
    for (let commits = 0; commits < 20 && !hasBegun(); commits++) {
      w.clock.jump(hour)
      await w.work(1)
    }
    assert.ok(hasBegun())
    await isUnreadable(w, full, true)
    const states = w.store.rows(reviewCases).map(({ row }) => row.state)
    assert.deepEqual(states.toSorted(), [...Array<string>(5).fill('cancelled'), 'decided'])
  })

  it('is shown by no read, wherever the process of the erasure dies', async () => {
    await fc.assert(
      fc.asyncProperty(deaths, (death) => holdsAt(death)),
      { numRuns: 12 },
    )
  })
})
