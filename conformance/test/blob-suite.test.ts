import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { blobSuite } from '@countersign/conformance/blobs'
import { blobHost, brokenBlobs } from '@countersign/conformance/broken'
import { failuresOf } from './run-suite.ts'

describe('blob suite', () => {
  it('passes the store that every broken one is made of', async () => {
    const failures = await failuresOf((test) => blobSuite({ test, ...blobHost(), runs: 100 }))
    assert.deepEqual([...failures], [])
  })

  it('has a broken store for each of its tests but the generated one', () => {
    const tests = new Set<string>()
    blobSuite({ test: (name) => void tests.add(name), ...blobHost() })
    tests.delete('blobs: every history goes as the model says')
    assert.deepEqual(new Set(brokenBlobs.map(({ killedBy }) => `blobs: ${killedBy}`)), tests)
  })

  for (const { name, killedBy, host } of brokenBlobs)
    it(`fails a store that ${name}, by: ${killedBy}`, async () => {
      const only = `blobs: ${killedBy}`
      const found = await failuresOf((test) => blobSuite({ test, ...host() }), only)
      assert.match(found.get(only) ?? 'it passed', /^\w*Error: /)
    })

  it('finds by its generated histories too what is broken', async () => {
    const only = 'blobs: every history goes as the model says'
    const below = brokenBlobs.find(
      ({ name }) => name === 'removes what lies below an object with it',
    )
    assert.ok(below)
    const found = await failuresOf((test) => blobSuite({ test, ...below.host(), seed: 7 }), only)
    assert.match(found.get(only) ?? 'it passed', /seed: 7,/)
  })
})
