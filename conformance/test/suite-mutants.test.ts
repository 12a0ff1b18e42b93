import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { brokenReceivers } from '@countersign/conformance/broken'
import { families } from '../receiver/types.ts'
import { isFoundWithout } from './suite-mutants.ts'

/** One a family; all of them, and every circumstance, are tried by the long test. */
describe('the receiver suite without events of one family', () => {
  for (const family of families)
    it(`misses what is done worse with those of ${family}, and finds it with them`, async () => {
      const receiver = brokenReceivers.find(
        (one) => one.family === family && one.killedBy === 'signature.missing',
      )
      assert.ok(receiver)
      assert.equal(await isFoundWithout(family, receiver), false)
      for (const other of families)
        if (other !== family) assert.equal(await isFoundWithout(other, receiver), true)
    })
})
