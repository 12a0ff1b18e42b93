import { describe, it } from 'node:test'
import fc from 'fast-check'
import { type History, histories, holdsFor } from './model.ts'

/** An erasure dies between what it overwrites and the commit that says so. */
const halfErased: History = {
  seed: 0,
  acts: [
    { do: 'submit', subject: null, steps: ['kurt', 'grace', null] },
    { do: 'submit', subject: 'alan', steps: ['grace', null] },
    { do: 'work', commits: 2 },
    { do: 'erase', subject: 'grace' },
    { do: 'span', session: null, trace: 0, subject: null, at: 0 },
    { do: 'work', commits: 9 },
    { do: 'work', commits: 1 },
  ],
}

/** An earlier step of somebody else comes once the keys of the session are gone, and before its content is. */
const takenOver: History = {
  seed: 0,
  acts: [
    { do: 'span', session: 0, trace: 0, subject: null, at: 5 },
    { do: 'span', session: 0, trace: 1, subject: 'grace', at: 4 },
    { do: 'erase', subject: 'grace' },
    { do: 'work', commits: 3 },
    { do: 'span', session: 0, trace: 2, subject: 'alan', at: 0 },
  ],
}

/** The session goes for its age while its erasure is under way, and another one of nobody's comes under its id. */
const usedAgain: History = {
  seed: 0,
  acts: [
    { do: 'submit', subject: null, steps: ['grace'], again: true },
    { do: 'work', commits: 2 },
    { do: 'age', commits: 0 },
    { do: 'erase', subject: 'grace' },
    { do: 'work', commits: 2 },
    { do: 'work', commits: 7 },
    { do: 'work', commits: 6 },
    { do: 'work', commits: 0 },
    { do: 'submit', subject: null, steps: [null], again: true },
    { do: 'case', of: 0, whole: false },
    { do: 'case', of: 0, whole: false },
  ],
}

describe('erasures, holds, ages and re-homings in any order, whose processes die between any commits', () => {
  it('take all of those who are erased and nothing of others', async () => {
    await fc.assert(
      fc.asyncProperty(histories, (given) => holdsFor(given)),
      { numRuns: 15, examples: [[halfErased], [takenOver], [usedAgain]] },
    )
  })
})
