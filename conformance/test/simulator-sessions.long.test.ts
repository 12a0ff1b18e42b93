import assert from 'node:assert/strict'
import { test } from 'node:test'
import { perform } from '../simulator/index.ts'

test('a crash at any storage point of a scenario of sessions breaks no property', async () => {
  const { tally, failures } = await perform({ of: 'sessions', kind: 'scenario', seed: 200_001 })
  assert.deepEqual(failures[0]?.result.violations[0], undefined)
  assert.ok(tally.crashPoints > 500, `${tally.crashPoints} crashes`)
})
