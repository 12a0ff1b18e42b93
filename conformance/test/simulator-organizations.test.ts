import assert from 'node:assert/strict'
import { test } from 'node:test'
import { drawOrganizationPlan, drawSmallOrganizationPlan, run } from '../simulator/index.ts'
import { campaignOf, clean } from './campaign-of.ts'

const campaign = campaignOf('organizations')

test('a swarm of faults loses no alert, key or member, and a purge comes to its end', async () => {
  const { runs, crashPoints: _, ...broken } = await campaign('swarm', 300_000, 2)
  assert.equal(runs, 2)
  assert.deepEqual(broken, clean)
})

/** Each point is tried by `npm run simulate` and the long test. */
const stride = 401

test('nor does a crash at a storage point of a purge', async () => {
  const plan = drawSmallOrganizationPlan(300_000)
  const { points, violations } = await run(plan)
  assert.deepEqual(violations, [])
  assert.ok(points > 500, `${points} storage points`)
  for (let point = stride; point <= points; point += stride) {
    const crashed = await run({ ...plan, crashAt: [point] })
    assert.deepEqual(crashed.violations, [], `crashed at ${point}`)
    assert.deepEqual(crashed.crashes, [point])
  }
})

test('a plan of organizations has what the checks are about', async () => {
  const kinds = new Set<string>()
  for (let seed = 1; seed <= 40; seed++)
    for (const { kind } of drawOrganizationPlan(seed).commands) kinds.add(kind)
  const expected = ['legacy_hook', 'delete_app', 'cancel_deletion', 'promote', 'hold', 'release']
  expected.push('alert_create', 'alert_update', 'alert_remove', 'key_issue', 'key_revoke')
  expected.push('key_use', 'key_ask', 'key_step', 'key_reveal', 'evidence_rotate', 'invite')
  expected.push('accept', 'deactivate', 'reactivate', 'set_role', 'login', 'use_session')
  for (const kind of expected) assert.ok(kinds.has(kind), kind)
})
