import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, describe, it } from 'node:test'
import { folder } from './packs.ts'
import { missed, missedAlone, targets } from './tamper-property.ts'

describe('countersign-verify', () => {
  after(() => rmSync(folder, { recursive: true, force: true }))

  it('misses no tampering of 1,000, of packs of every kind, and no byte of signed documents', async () => {
    const seed = Math.trunc(performance.timeOrigin)
    const packs = await targets()
    assert.deepEqual(await missed(packs, 1_000, seed), [])
    assert.deepEqual(await missedAlone(packs, 3_000, seed), [])
  })
})
