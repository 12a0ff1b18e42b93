import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { agentCases, openWorld, playOf, type World } from '@countersign/reference-server/reviewed'
import { entries, newDisk } from './entries.ts'
import { forged } from './forged.ts'

const { COUNTERSIGN_PROVE: whole, FC_SEED: seed = '0' } = process.env
/** Of so many cases of an entry, one is drawn; every case has entries that it is drawn for. */
const parts = whole ? 1 : 2

describe('every entry, with the real packages and the real server', () => {
  let world: World
  before(async () => {
    world = await openWorld()
  })
  after(() => world.end())

  for (const [nth, [name, entry]] of Object.entries(entries).entries())
    describe(name, { concurrency: true }, () => {
      const cases = agentCases(() => world, entry, newDisk)
      for (const [at, [title, holds]] of Object.entries(cases).entries())
        if ((nth + at + Number(seed)) % parts === 0) it(title, holds)
    })

  it('has an approval that is forged for every entry', () => {
    assert.deepEqual(Object.keys(forged).sort(), Object.keys(entries).sort())
  })

  for (const [name, { run, asks }] of Object.entries(forged))
    it(`a forged approval runs nothing: ${name}`, async () => {
      const place = { client: world.client, entry: {}, disk: newDisk() }
      const { play, paid } = playOf(place)
      const reviewer = world.review(play.sessionId, () => ({ decision: 'rejected' }))
      await run(play)
      await reviewer.stop()
      assert.deepEqual(paid, [])
      const cases = await world.casesOf(play.sessionId)
      assert.deepEqual(
        cases.map(({ decision }) => decision),
        ['rejected'],
      )
      if (asks) return
      const denying = playOf(place, play.calls, { unasked: 'deny' })
      await run(denying.play)
      assert.deepEqual(denying.paid, [])
      assert.equal((await world.casesOf(denying.play.sessionId)).length, 0)
    })
})
