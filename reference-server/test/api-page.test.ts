import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { createManualClock, seededRandom } from '@countersign/core/testing'
import { createApp } from '@countersign/koa'
import { Registry } from 'prom-client'
import { createHealth } from '../health.ts'

async function ask(page: Uint8Array | null) {
  const health = createHealth({
    store: {
      probe: async () => {},
      failures: () => ({ count: 0, last: null }),
      waitsFor: () => null,
    },
    clock: createManualClock(0),
    registry: new Registry(),
    page: async () => page,
  })
  const observer = { event: () => {} }
  const answer = createApp(health.router, { random: seededRandom(1), observer }).callback()
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    const { port } = server.address() as AddressInfo
    const response = await fetch(`http://127.0.0.1:${port}/api.html`)
    const { status, headers } = response
    return { status, type: headers.get('content-type'), text: await response.text() }
  } finally {
    server.closeAllConnections()
    server.close()
    health.close()
  }
}

test('the staff listener serves the page that describes the API', async () => {
  const page = '<!doctype html><title>Countersign API</title>'
  assert.deepEqual(await ask(Buffer.from(page)), {
    status: 200,
    type: 'text/html; charset=utf-8',
    text: page,
  })
})

test('a server that was built without the page says that it has none', async () => {
  const { status } = await ask(null)
  assert.equal(status, 404)
})
