import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type BrokenReceiver, brokenReceivers, faultClasses } from '@countersign/conformance/broken'
import { properties } from '@countersign/conformance/receiver'
import { judgeBroken } from './judge-broken.ts'

/** One for each property; all of them are judged by `npm run test:long`. */
const sample: ReadonlyMap<string, BrokenReceiver> = new Map(
  [...brokenReceivers].reverse().map((one) => [one.killedBy, one]),
)

describe('broken receivers', () => {
  it('are there for every property, and for every class of faults', () => {
    assert.deepEqual(
      properties.map(({ name }) => name).filter((name) => !sample.has(name)),
      [],
    )
    assert.equal(new Set(properties.map(({ name }) => name)).size, properties.length)
    const groups = new Set(brokenReceivers.map(({ group }) => group))
    assert.deepEqual(new Set(faultClasses), groups)
    assert.equal(new Set(brokenReceivers.map(({ name }) => name)).size, brokenReceivers.length)
    assert.ok(brokenReceivers.length >= 150, `${brokenReceivers.length}`)
  })

  describe('each fails by its property: it', { concurrency: 4 }, () => {
    for (const receiver of sample.values())
      it(`${receiver.name}, by ${receiver.killedBy}`, async () => {
        const found = await judgeBroken(receiver)
        assert.equal(found.verdict, 'failed', JSON.stringify(found, null, 2))
        assert.ok(found.verdict === 'failed' && found.failure.transcript.length > 0)
      })
  })
})
