import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, describe, it } from 'node:test'
import { type EvidenceKeys, readEvidenceKeys } from '@countersign/core/evidence'
import { folder, issuer } from './packs.ts'
import { missed } from './tamper-property.ts'

describe('countersign-verify', () => {
  after(() => rmSync(folder, { recursive: true, force: true }))

  it('misses no tampering of 1,000', async () => {
    const seed = Math.trunc(performance.timeOrigin)
    assert.deepEqual(await missed(1_000, seed, readEvidenceKeys(issuer.jwk) as EvidenceKeys), [])
  })
})
