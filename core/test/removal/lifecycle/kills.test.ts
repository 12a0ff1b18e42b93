import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { killedAt } from './kills.ts'

// Every call is in kills.long.test.ts.
const stride = 11

describe('a purge whose process is killed', () => {
  for (const when of ['before', 'after'] as const)
    it(`at a call, ${when} it took effect, is ended by the next, counted and told once`, async () => {
      let at = 1
      for (; ; at += stride) if ((await killedAt(at, when)) < at) break
      assert.ok(at > 80, `${at} calls`)
    })
})
