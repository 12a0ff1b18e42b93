import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { createClient } from '../receiver/client.ts'

const channel = 'net.client.socket'

describe('the client of the suites', () => {
  const server = http.createServer((request, response) => {
    request.resume()
    response.writeHead(413).end()
  })
  const unguarded: string[] = []
  let freed = 0

  // Between the end of an exchange and the pool of its agent, nothing of Node listens for an error of the socket.
  const watch = (message: unknown) => {
    const { socket } = message as { readonly socket: Socket }
    socket.prependListener('free', () => {
      freed += 1
      if (socket.listenerCount('error') === 0) unguarded.push(`port ${socket.localPort}`)
    })
  }

  before(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening')
    subscribe(channel, watch)
  })

  after(() => {
    unsubscribe(channel, watch)
    server.close()
    server.closeAllConnections()
  })

  it('listens for errors of each connection as long as it lasts, whatever was answered early', async () => {
    const { port } = server.address() as AddressInfo
    const client = createClient(new URL(`http://127.0.0.1:${port}/`), {
      ...{ timeoutMs: 5_000, lag: { lagMs: () => 0 } },
    })
    const large = { method: 'POST', headers: {}, body: new Uint8Array(300_000) }
    for (let turn = 0; turn < 3; turn++) {
      const exchanges = [client.send(large), client.hold(large, 100).finish()]
      for (const { status } of await Promise.all(exchanges)) assert.equal(status, 413)
    }
    client.close()
    assert.ok(freed > 0)
    assert.deepEqual(unguarded, [])
  })

  it('waits for an answer as much longer as its machine was late, and three times as long at most', async () => {
    const silent = http.createServer((request) => request.resume())
    await once(silent.listen(0, '127.0.0.1'), 'listening')
    const { port } = silent.address() as AddressInfo
    const timeoutMs = 40
    for (const [share, leastMs] of [
      [0, 40],
      [0.5, 80],
      [1, 120],
    ] as const) {
      const startedAt = performance.now()
      const lagMs = () => share * (performance.now() - startedAt)
      const client = createClient(new URL(`http://127.0.0.1:${port}/`), {
        ...{ timeoutMs, lag: { lagMs } },
      })
      const { status, wholeMs } = await client.send({
        ...{ method: 'POST', headers: {}, body: new Uint8Array(1) },
      })
      assert.equal(status, null)
      assert.ok(wholeMs >= leastMs - 2, `${share}: ${wholeMs} ms`)
      client.close()
    }
    silent.close()
    silent.closeAllConnections()
  })
})
