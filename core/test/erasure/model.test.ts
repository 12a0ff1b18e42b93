import { describe, it } from 'node:test'
import fc from 'fast-check'
import { histories, holdsFor } from './model.ts'

describe('erasures, holds, ages and re-homings in any order, whose processes die between any commits', () => {
  it('take all of those who are erased and nothing of others', async () => {
    await fc.assert(
      fc.asyncProperty(histories, (given) => holdsFor(given)),
      { numRuns: 15 },
    )
  })
})
