import assert from 'node:assert/strict'
import { test } from 'node:test'
import { campaignOf, clean } from './campaign-of.ts'

const campaign = campaignOf('organizations')

test('a swarm of faults breaks no property of organizations', async () => {
  const { runs, crashPoints, ...broken } = await campaign('swarm', 300_000, 60)
  assert.equal(runs, 60)
  assert.ok(crashPoints > 10, `${crashPoints} crashes`)
  assert.deepEqual(broken, clean)
})

test('a crash at any storage point of a scenario of organizations breaks no property', async () => {
  const { crashPoints, runs: _, ...broken } = await campaign('scenario', 300_000, 1)
  assert.ok(crashPoints > 500, `${crashPoints} crashes`)
  assert.deepEqual(broken, clean)
})
