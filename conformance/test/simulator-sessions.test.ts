import assert from 'node:assert/strict'
import { test } from 'node:test'
import { drawSessionPlan, drawSmallSessionPlan } from '../simulator/index.ts'
import { campaignOf, clean, crashAlong, kindsOf } from './campaign-of.ts'

const campaign = campaignOf('sessions')

test('a swarm of faults loses no step, event or seal, and nothing that was erased is back', async () => {
  const { runs, crashPoints: _, ...broken } = await campaign('swarm', 200_000, 2)
  assert.equal(runs, 2)
  assert.deepEqual(broken, clean)
})

test('nor does a crash at a storage point, from the first span to what retention leaves', async () => {
  await crashAlong(drawSmallSessionPlan(200_000), { stride: 389, points: 500 })
})

test('a plan of sessions has what the checks are about', async () => {
  const kinds = kindsOf(drawSessionPlan)
  for (const kind of ['spans', 'submit', 'set_rules', 'mark', 'erase', 'hold', 'release', 'open'])
    assert.ok(kinds.has(kind), kind)
})
