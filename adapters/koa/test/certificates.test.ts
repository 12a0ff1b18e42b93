import assert from 'node:assert/strict'
import { test } from 'node:test'
import { routes } from '../index.ts'
import { openCast } from './cast.ts'
import { pathOf, sampleOf } from './requests.ts'

test('the certificate of an erasure is JSON, or PDF where Accept asks for it', async () => {
  const world = await openCast()
  try {
    const row = routes.find(({ name }) => name === 'erasureRequests.certificate')
    assert.ok(row)
    const path = pathOf(row, await sampleOf(row, world))
    const read = async (accept: string) => {
      const { status, headers, text } = await world.call({
        ...{ host: 'portal', method: 'GET', path, as: world.auditor },
        headers: { accept },
      })
      const type = headers['content-type']?.split(';')[0]
      return { status, type, text, name: headers['content-disposition'] }
    }
    for (const accept of ['*/*', 'application/json', 'application/json, application/pdf;q=0.5']) {
      const { status, type, text } = await read(accept)
      assert.deepEqual([status, type], [200, 'application/json'], accept)
      assert.equal(JSON.parse(text).certificateType, 'erasure')
    }
    const printed = await read('application/pdf')
    assert.deepEqual([printed.status, printed.type], [200, 'application/pdf'])
    assert.match(printed.text, /^%PDF erasure-certificate /)
    assert.match(printed.name ?? '', /^attachment; filename="ers_[^"]+-certificate\.pdf"$/)
    assert.equal((await read('image/png')).status, 406)
  } finally {
    await world.close()
  }
})
