import assert from 'node:assert/strict'
import { test } from 'node:test'
import { drawSessionPlan, drawSmallSessionPlan, run } from '../simulator/index.ts'
import { campaignOf, clean } from './campaign-of.ts'

const campaign = campaignOf('sessions')

test('a swarm of faults loses no step, event or seal, and nothing that was erased is back', async () => {
  const { runs, crashPoints: _, ...broken } = await campaign('swarm', 200_000, 2)
  assert.equal(runs, 2)
  assert.deepEqual(broken, clean)
})

/** Each point is tried by `npm run simulate` and the long test. */
const stride = 389

test('nor does a crash at a storage point, from the first span to what retention leaves', async () => {
  const plan = drawSmallSessionPlan(200_000)
  const { points, violations } = await run(plan)
  assert.deepEqual(violations, [])
  assert.ok(points > 500, `${points} storage points`)
  for (let point = stride; point <= points; point += stride) {
    const crashed = await run({ ...plan, crashAt: [point] })
    assert.deepEqual(crashed.violations, [], `crashed at ${point}`)
    assert.deepEqual(crashed.crashes, [point])
  }
})

test('a plan of sessions has what the checks are about', async () => {
  const kinds = new Set<string>()
  for (let seed = 1; seed <= 40; seed++)
    for (const { kind } of drawSessionPlan(seed).commands) kinds.add(kind)
  for (const kind of ['spans', 'submit', 'set_rules', 'mark', 'erase', 'hold', 'release', 'open'])
    assert.ok(kinds.has(kind), kind)
})
