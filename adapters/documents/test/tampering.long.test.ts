import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, describe, it } from 'node:test'
import { folder } from './packs.ts'
import { missed, targets } from './tamper-property.ts'

describe('countersign-verify', () => {
  after(() => rmSync(folder, { recursive: true, force: true }))

  it('misses no tampering of 1,000, of packs of every kind', async () => {
    const seed = Math.trunc(performance.timeOrigin)
    assert.deepEqual(await missed(await targets(), 1_000, seed), [])
  })
})
