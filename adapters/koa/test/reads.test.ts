import assert from 'node:assert/strict'
import { test } from 'node:test'
import { routes } from '../index.ts'
import { entitled, keyOf, pathOf, sampleOf } from './requests.ts'
import { openWorld } from './world.ts'

test('a read writes nothing', async () => {
  const world = await openWorld()
  try {
    for (const row of routes.filter(({ method }) => method === 'GET')) {
      const sample = await sampleOf(row, world)
      const untouched = world.contents()
      const { host, method } = row
      const path = pathOf(row, sample)
      const answer = await world.call({ host, method, path, as: entitled(sample, world) })
      assert.equal(answer.status, 200, `${keyOf(row)}: ${answer.text}`)
      assert.equal(world.contents(), untouched, `${keyOf(row)} wrote`)
    }
  } finally {
    await world.close()
  }
})
