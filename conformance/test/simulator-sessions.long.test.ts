import assert from 'node:assert/strict'
import { test } from 'node:test'
import { planOf } from '../simulator/index.ts'
import { campaignOf, clean, crashAlong } from './campaign-of.ts'

const { COUNTERSIGN_PROVE: whole, FC_SEED: seed = '0' } = process.env
const campaign = campaignOf('sessions')

test('a swarm of faults breaks no property of sessions', async () => {
  const count = whole ? 60 : 12
  const { runs, crashPoints, ...broken } = await campaign('swarm', 200_000, count)
  assert.equal(runs, count)
  assert.ok(crashPoints > count / 6, `${crashPoints} crashes`)
  assert.deepEqual(broken, clean)
})

test('a crash at any storage point of a scenario of sessions breaks no property', async () => {
  const plan = planOf({ of: 'sessions', kind: 'scenario', seed: 200_001 })
  const stride = whole ? 1 : 6
  await crashAlong(plan, { stride, from: 1 + (Math.abs(Number(seed)) % stride), points: 500 })
})
