import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { samples } from './samples.ts'
import { openWorld } from './world.ts'

const sample = samples['ingest ingest.submit']?.body ?? {}
const asked = { host: 'ingest', method: 'POST', path: '/v1/ingest/sessions' } as const

describe('POST /v1/ingest/sessions', () => {
  it('takes a batch in gzip, and tells a wrong root beside the right one', async () => {
    const world = await openWorld()
    try {
      const as = world.home.app.ingest
      const wrong = await world.call({
        ...asked,
        as,
        body: { ...sample, merkleRoot: '0'.repeat(64) },
      })
      assert.deepEqual(
        [wrong.status, wrong.json.code, wrong.json.expected, wrong.json.computed],
        [422, 'merkle_root_mismatch', '0'.repeat(64), sample.merkleRoot],
      )
      const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
      const body = gzipSync(JSON.stringify({ ...sample, unknown: 1 }))
      const taken = await world.call({ ...asked, as, headers, body })
      assert.equal(taken.status, 200, taken.text)
      assert.equal(taken.json.accepted, 1)
      const usage = await world.call({
        host: 'ingest',
        method: 'GET',
        path: '/v1/ingest/usage',
        as,
      })
      assert.equal(usage.json.ratePerMinute, Number(usage.headers['x-ratelimit-limit']))
      const id = encodeURIComponent('order 7/2026')
      const read = await world.call({
        host: 'portal',
        method: 'GET',
        path: `/v1/sessions/${id}/proof`,
        as: world.auditor,
      })
      assert.deepEqual([read.status, read.json.merkleRoot], [200, sample.merkleRoot])
    } finally {
      await world.close()
    }
  })
})
