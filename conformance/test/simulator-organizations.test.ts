import assert from 'node:assert/strict'
import { test } from 'node:test'
import { drawOrganizationPlan, drawSmallOrganizationPlan } from '../simulator/index.ts'
import { campaignOf, clean, crashAlong, kindsOf } from './campaign-of.ts'

const campaign = campaignOf('organizations')

test('a swarm of faults loses no alert, key or member, and a purge comes to its end', async () => {
  const { runs, crashPoints: _, ...broken } = await campaign('swarm', 300_000, 2)
  assert.equal(runs, 2)
  assert.deepEqual(broken, clean)
})

test('nor does a crash at a storage point of a purge', async () => {
  await crashAlong(drawSmallOrganizationPlan(300_000), { stride: 401, points: 500 })
})

test('a plan of organizations has what the checks are about', async () => {
  const kinds = kindsOf(drawOrganizationPlan)
  const expected = ['legacy_hook', 'delete_app', 'cancel_deletion', 'promote', 'hold', 'release']
  expected.push('alert_create', 'alert_update', 'alert_remove', 'key_issue', 'key_revoke')
  expected.push('key_use', 'key_ask', 'key_step', 'key_reveal', 'evidence_rotate', 'invite')
  expected.push('erase', 'reject_erasure', 'keys_rotate', 'hook_rotate')
  expected.push('accept', 'deactivate', 'reactivate', 'set_role', 'login', 'use_session')
  for (const kind of expected) assert.ok(kinds.has(kind), kind)
})
