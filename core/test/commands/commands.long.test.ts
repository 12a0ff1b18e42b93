import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { situations } from './commands.ts'
import { interleaver } from './interleave.ts'

const { COUNTERSIGN_PROVE: whole, FC_SEED: seed = '0' } = process.env
/** Of so many pairs, one is drawn. */
const parts = whole ? 1 : 3

describe('any two commands at the same time', () => {
  for (const situation of Object.keys(situations))
    it(`come out as one after the other, with ${situation}`, async () => {
      const { pairs, fault } = interleaver(situation)
      const found = await pairs()
      assert.ok(found.length > 200, `${found.length} pairs have to do with one another`)
      const faults = []
      for (const [first, second] of found.filter((_, at) => (at + Number(seed)) % parts === 0))
        faults.push(...[await fault(first, second)].filter(Boolean))
      assert.deepEqual(faults, [])
    })
})
