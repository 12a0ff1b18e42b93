import assert from 'node:assert/strict'
import { test } from 'node:test'
import { portablePrimitives } from '@countersign/core/signing'
import { drawPlan, drawSmallPlan, everything, restrict, run, shrink } from '../simulator/index.ts'
import { campaignOf, clean, crashAlong } from './campaign-of.ts'

const campaign = campaignOf('cases')

test('a swarm of faults breaks no property', async () => {
  const { runs, crashPoints, ...broken } = await campaign('swarm', 100_000, 2)
  assert.equal(runs, 2)
  assert.ok(crashPoints > 0, `${crashPoints} crashes`)
  assert.deepEqual(broken, clean)
})

test('nor does a crash at a storage point of a scenario', async () => {
  await crashAlong(drawSmallPlan(100_000), { stride: 29, points: 50 })
})

test('with real signatures nothing else is found', async () => {
  const { violations, posts } = await run(drawSmallPlan(3), { primitives: portablePrimitives })
  assert.deepEqual(violations, [])
  assert.ok(posts > 0)
})

test('a broken receiver is found, and its plan shrinks to what is needed', async () => {
  const forgetful = {
    store: () => false,
    fold: () => {},
  }
  const plan = drawPlan(11)
  const { violations } = await run(plan, { rules: forgetful })
  const property = violations[0]?.property
  assert.equal(property, 'delivered means received')
  const { kept, result } = await shrink(plan, property, { rules: forgetful })
  assert.ok(kept.commands.length <= 1, `commands ${kept.commands.join(', ')}`)
  assert.deepEqual([kept.disturbances, kept.rates, kept.crashAt], [[], [], []])
  assert.equal(result.violations[0]?.property, property)
  const again = await run(restrict(plan, { ...everything(plan), ...kept }), { rules: forgetful })
  assert.equal(again.violations[0]?.detail, result.violations[0]?.detail)
})
