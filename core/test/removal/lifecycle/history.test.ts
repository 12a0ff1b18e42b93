import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { histories } from './history/draw.ts'
import { problemsOf } from './history/run.ts'

describe('deletions beside all else, in any order, whose processes die between any calls', () => {
  it('lose, double and leave nothing', async () => {
    await fc.assert(
      fc.asyncProperty(histories, async (given) => {
        assert.deepEqual(await problemsOf(given), [])
      }),
      { numRuns: 10 },
    )
  })
})
