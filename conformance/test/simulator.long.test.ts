import assert from 'node:assert/strict'
import { test } from 'node:test'
import { campaignOf, clean } from './campaign-of.ts'

const campaign = campaignOf('cases')

test('a swarm of faults breaks no property of cases', async () => {
  const { runs, crashPoints, ...broken } = await campaign('swarm', 100_000, 300)
  assert.equal(runs, 300)
  assert.ok(crashPoints > 50, `${crashPoints} crashes`)
  assert.deepEqual(broken, clean)
})

test('a crash at any storage point of a scenario of cases breaks no property', async () => {
  const { runs, crashPoints, ...broken } = await campaign('scenario', 100_000, 4)
  assert.ok(crashPoints > 80 && crashPoints <= runs, `${crashPoints} crashes in ${runs} runs`)
  assert.deepEqual(broken, clean)
})
