import assert from 'node:assert/strict'
import { test } from 'node:test'
import { planOf } from '../simulator/index.ts'
import { campaignOf, clean, crashAlong } from './campaign-of.ts'

const { COUNTERSIGN_PROVE: whole, FC_SEED: seed = '0' } = process.env
const campaign = campaignOf('organizations')

test('a swarm of faults breaks no property of organizations', async () => {
  const count = whole ? 60 : 12
  const { runs, crashPoints, ...broken } = await campaign('swarm', 300_000, count)
  assert.equal(runs, count)
  assert.ok(crashPoints > count / 6, `${crashPoints} crashes`)
  assert.deepEqual(broken, clean)
})

test('a crash at any storage point of a scenario of organizations breaks no property', async () => {
  const plan = planOf({ of: 'organizations', kind: 'scenario', seed: 300_000 })
  const stride = whole ? 1 : 6
  await crashAlong(plan, { stride, from: 1 + (Math.abs(Number(seed)) % stride), points: 500 })
})
