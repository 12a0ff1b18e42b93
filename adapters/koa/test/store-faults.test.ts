import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StoreError, type StoreErrorCode } from '@countersign/core/ports'
import { openWorld } from './world.ts'

const faults: Readonly<Record<StoreErrorCode, readonly [number, RegExp]>> = {
  full: [503, /nothing was written/],
  busy: [503, /nothing was written/],
  closed: [503, /nothing was written/],
  io: [503, /not known/],
  corrupt: [503, /not known/],
  incompatible: [500, /request id/],
  malformed: [500, /request id/],
  foreign_tenant: [500, /request id/],
}

test('a store that can not commit is told as far as it is known, and without its words', async () => {
  const world = await openWorld()
  try {
    for (const [code, [status, detail]] of Object.entries(faults)) {
      world.store.commit = () =>
        Promise.reject(new StoreError(code as StoreErrorCode, 'words of the store'))
      const answer = await world.call({
        host: 'portal',
        method: 'POST',
        path: '/v1/applications',
        as: world.home.admin,
        body: { name: 'Another' },
      })
      assert.equal(answer.status, status, code)
      assert.match(String(answer.json.detail), detail, code)
      const written = code === 'io' || code === 'corrupt' ? null : false
      assert.equal(answer.json.written, status === 503 ? written : undefined, code)
      assert.equal(answer.headers['retry-after'], status === 503 ? '1' : undefined, code)
      assert.equal(answer.text.includes('words of the store'), false, code)
    }
  } finally {
    await world.close()
  }
})

test('an archive whose store fails midway reaches its receiver as a transfer that broke off', async () => {
  const world = await openWorld()
  try {
    const { admin, app } = world.home
    await world.storeSession(app, 'ses_broken')
    const { read } = world.store
    const input = { applicationIds: [app.applicationId] }
    const ask = () =>
      world.call({
        host: 'portal',
        method: 'POST',
        path: '/v1/applications/evidence/bulk-export',
        as: admin,
        body: input,
      })
    assert.equal((await ask()).status, 200)
    let left = Number.POSITIVE_INFINITY
    world.store.read = (...asked) =>
      left-- > 0 ? read(...asked) : Promise.reject(new StoreError('io', 'words of the store'))
    let cut = 0
    for (let reads = 0; ; reads++) {
      left = reads
      const answer = await ask().catch((error: NodeJS.ErrnoException) => error)
      if (left >= 0) break
      // Before the archive begins the answer can still be a problem.
      if (answer instanceof Error) {
        assert.equal(answer.code, 'ECONNRESET')
        cut++
      } else assert.equal(answer.status, 503)
    }
    assert.ok(cut >= 5, `${cut} were cut`)
  } finally {
    await world.close()
  }
})
