import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { seesProgress } from '../receiver/progress.ts'
import { createTally } from '../receiver/target.ts'

/** A wait in which these ids had their effect by its middle and by its end; `early` were accepted before it, `late` after. */
async function wait(ids: {
  readonly early: readonly string[]
  readonly late: readonly string[]
  readonly byMiddle: readonly string[]
  readonly byEnd: readonly string[]
}): Promise<boolean> {
  const tally = createTally()
  let acted: readonly string[] = []
  const before = performance.now()
  for (const id of ids.early) tally.accepted.set(id, before)
  const hasMoved = seesProgress({
    tally,
    has: new Set(['effects']),
    read: async () => ({ stored: [], effects: acted.map((id) => ({ id, count: 1 })) }),
  })
  for (const id of ids.late) tally.accepted.set(id, performance.now() + 1)
  assert.equal(await hasMoved(0.4), false)
  acted = ids.byMiddle
  assert.equal(await hasMoved(0.5), false)
  acted = [...acted, ...ids.byEnd]
  return hasMoved(1.1)
}

describe('progress of a receiver', () => {
  it('is seen where one that came before the wait had its effect in its second half', async () => {
    const [early, late] = [['own', 'before'], [] as string[]]
    assert.equal(await wait({ early, late, byMiddle: [], byEnd: ['before'] }), true)
  })

  it('is none where all that came before had theirs in the first half, or never', async () => {
    const early = ['own', 'before']
    assert.equal(await wait({ early, late: [], byMiddle: ['before'], byEnd: [] }), false)
    assert.equal(await wait({ early, late: [], byMiddle: [], byEnd: [] }), false)
  })

  it('is none where only what came later moves, as that of another property does', async () => {
    const [early, late] = [['own'], ['b', 'c', 'd']]
    assert.equal(await wait({ early, late, byMiddle: ['b'], byEnd: ['c', 'd'] }), false)
  })
})
