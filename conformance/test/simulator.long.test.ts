import assert from 'node:assert/strict'
import { test } from 'node:test'
import { campaignOf, clean } from './campaign-of.ts'

const { COUNTERSIGN_PROVE: whole, FC_SEED: seed = '0' } = process.env
const campaign = campaignOf('cases')

test('a swarm of faults breaks no property of cases', async () => {
  const [part, count] = whole ? [0, 300] : [Math.abs(Number(seed)) % 3, 100]
  const from = 100_000 + part * count
  const { runs, crashPoints, ...broken } = await campaign('swarm', from, count)
  assert.equal(runs, count)
  assert.ok(crashPoints > count / 6, `${crashPoints} crashes`)
  assert.deepEqual(broken, clean)
})

test('a crash at any storage point of a scenario of cases breaks no property', async () => {
  const { runs, crashPoints, ...broken } = await campaign('scenario', 100_000, whole ? 4 : 2)
  assert.ok(crashPoints > 40 && crashPoints <= runs, `${crashPoints} crashes in ${runs} runs`)
  assert.deepEqual(broken, clean)
})
