import assert from 'node:assert/strict'
import { test } from 'node:test'
import { portablePrimitives } from '@countersign/core/signing'
import {
  add,
  drawPlan,
  drawSmallPlan,
  emptyTally,
  everything,
  perform,
  restrict,
  run,
  shrink,
  type Tally,
} from '../simulator/index.ts'

const clean: Omit<Tally, 'runs' | 'crashPoints'> = {
  lost: 0,
  doubleDecided: 0,
  stale: 0,
  stuck: 0,
  violations: 0,
}

async function campaign(
  of: 'cases' | 'sessions',
  kind: 'swarm' | 'scenario',
  from: number,
  count: number,
): Promise<Tally> {
  const total = emptyTally()
  for (let seed = from; seed < from + count; seed++) {
    const { tally, failures } = await perform({ of, kind, seed })
    const [first] = failures
    assert.equal(first, undefined, `seed ${seed}: ${JSON.stringify(first?.result.violations[0])}`)
    add(total, tally)
  }
  return total
}

test('a swarm of faults breaks no property', async () => {
  const { runs, crashPoints, ...broken } = await campaign('cases', 'swarm', 100_000, 60)
  assert.equal(runs, 60)
  assert.ok(crashPoints > 10, `${crashPoints} crashes`)
  assert.deepEqual(broken, clean)
})

test('a crash at any storage point of a scenario breaks no property', async () => {
  const { runs, crashPoints, ...broken } = await campaign('cases', 'scenario', 100_000, 2)
  assert.ok(crashPoints > 40 && crashPoints <= runs, `${crashPoints} crashes in ${runs} runs`)
  assert.deepEqual(broken, clean)
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
  const plan = drawPlan(7)
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
