import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { agentCases, openWorld, playOf, type World } from '@countersign/reference-server/reviewed'
import { entries, newDisk } from './entries.ts'
import { forged } from './forged.ts'

describe('every entry, with the real packages and the real server', () => {
  let world: World
  before(async () => {
    world = await openWorld()
  })
  after(() => world.end())

  for (const [name, entry] of Object.entries(entries))
    describe(name, { concurrency: true }, () => {
      const cases = agentCases(() => world, entry, newDisk)
      for (const [title, holds] of Object.entries(cases)) it(title, holds)
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
