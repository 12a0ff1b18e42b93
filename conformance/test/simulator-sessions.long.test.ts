import assert from 'node:assert/strict'
import { test } from 'node:test'
import { campaignOf, clean } from './campaign-of.ts'

const campaign = campaignOf('sessions')

test('a swarm of faults breaks no property of sessions', async () => {
  const { runs, crashPoints, ...broken } = await campaign('swarm', 200_000, 60)
  assert.equal(runs, 60)
  assert.ok(crashPoints > 10, `${crashPoints} crashes`)
  assert.deepEqual(broken, clean)
})

test('a crash at any storage point of a scenario of sessions breaks no property', async () => {
  const { crashPoints, runs: _, ...broken } = await campaign('scenario', 200_001, 1)
  assert.ok(crashPoints > 500, `${crashPoints} crashes`)
  assert.deepEqual(broken, clean)
})
