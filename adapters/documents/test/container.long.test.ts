import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, describe, it } from 'node:test'
import { type EvidenceKeys, readEvidenceKeys } from '@countersign/core/evidence'
import { changedBytes, spread } from './containers.ts'
import { folder, issuer, packOf } from './packs.ts'
import { servicePacks } from './service.ts'

describe('the container of a pack', () => {
  after(() => rmSync(folder, { recursive: true, force: true }))

  it('has no bit that can be changed', async () => {
    const keys = readEvidenceKeys(issuer.jwk) as EvidenceKeys
    const pack = await packOf(new Map([['a.txt', Buffer.from('aaaaaaaaaaaaaaaa')]]))
    const bits = (byte: number) => Array.from({ length: 8 }, (_, bit) => byte ^ (1 << bit))
    assert.deepEqual(await changedBytes(pack, keys, pack.keys(), bits), [])
  })

  it('has none in packs of any kind, of many that are drawn', async () => {
    const { keys, ...packs } = await servicePacks()
    for (const pack of Object.values(packs)) {
      const values = (byte: number, at: number) => [byte ^ (1 << (at % 8)), byte ^ 0xff]
      assert.deepEqual(await changedBytes(pack, keys, spread(pack.length, 700), values), [])
    }
  })
})
