import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { killedAt } from './kills.ts'

describe('a purge whose process is killed', () => {
  for (const when of ['before', 'after'] as const)
    it(`at any call, ${when} it took effect, is ended by the next, counted and told once`, async () => {
      let at = 1
      for (; ; at++) if ((await killedAt(at, when)) < at) break
      assert.ok(at > 80, `${at} calls`)
    })
})
