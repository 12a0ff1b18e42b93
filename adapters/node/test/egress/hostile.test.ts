import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import type { TLSSocket } from 'node:tls'
import { gzipSync } from 'node:zlib'
import { createManualClock, type ManualClock } from '@countersign/core/testing'
import { makeAuthority } from '../../local-ca/certificate.ts'
import {
  detail,
  exchangeTo,
  httpsEndpoint,
  loopbackTransport,
  rawEndpoint,
  serverCert,
  told,
} from './endpoint.ts'

const head = 'HTTP/1.1 200 OK\r\n'

/** Writes until the peer is gone, as fast as it reads. */
function flood(socket: TLSSocket, chunk: string | Buffer): void {
  const more = () => {
    while (!socket.destroyed && socket.writable) if (!socket.write(chunk)) return
  }
  socket.on('drain', more)
  more()
}

async function outcome(t: TestContext, answer: (socket: TLSSocket) => void, clock?: ManualClock) {
  let answered = () => {}
  const began = new Promise<void>((resolve) => {
    answered = resolve
  })
  let first = true
  const endpoint = await rawEndpoint(t, (socket) => {
    if (first) answer(socket)
    else socket.end('HTTP/1.1 204 No Content\r\n\r\n')
    first = false
    answered()
  })
  const transport = loopbackTransport(t, clock ? { clock } : {})
  const result = transport.post(exchangeTo(endpoint.url))
  await began
  return { result, transport, endpoint }
}

/** The transport lives on and sends the next one. */
async function livesOn({
  transport,
  endpoint,
}: Awaited<ReturnType<typeof outcome>>): Promise<void> {
  assert.equal(told(await transport.post(exchangeTo(endpoint.url))), '204')
}

describe('an answer', () => {
  const failing: readonly (readonly [string, string, (socket: TLSSocket) => void])[] = [
    ['that is no HTTP', 'protocol', (socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n')],
    ['without a status', 'protocol', (socket) => socket.end('HTTP/1.1\r\n\r\n')],
    [
      'with a status of four digits',
      'protocol',
      (socket) => socket.end('HTTP/1.1 2000 OK\r\n\r\n'),
    ],
    ['that ends before it began', 'reset', (socket) => socket.end()],
    ['that is cut within the headers', 'reset', (socket) => socket.end(`${head}content-ty`)],
    ['that is reset', 'reset', (socket) => socket.destroy()],
    [
      'with 10,000 headers',
      'protocol',
      (socket) => socket.end(`${head}${'a: b\r\n'.repeat(10_000)}\r\n`),
    ],
    [
      'with a header of 1 MB',
      'protocol',
      (socket) => socket.end(`${head}a: ${'b'.repeat(1 << 20)}\r\n\r\n`),
    ],
    [
      'with headers that never end',
      'protocol',
      (socket) => flood(socket.write(head) ? socket : socket, 'a: b\r\n'.repeat(500)),
    ],
    [
      'with a header name that never ends',
      'protocol',
      (socket) => flood(socket.write(head) ? socket : socket, 'a'.repeat(5000)),
    ],
    [
      'that says 100 Continue for ever',
      'reset',
      (socket) => flood(socket, 'HTTP/1.1 100 Continue\r\n\r\n'),
    ],
    [
      'with early hints for ever',
      'protocol',
      (socket) => flood(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n'),
    ],
    [
      'that switches protocols',
      'reset',
      (socket) =>
        socket.write('HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
    ],
    [
      'with two lengths',
      'protocol',
      (socket) => socket.end(`${head}content-length: 1\r\ncontent-length: 2\r\n\r\nab`),
    ],
    ['with a bad length', 'protocol', (socket) => socket.end(`${head}content-length: -1\r\n\r\n`)],
  ]
  for (const [what, error, answer] of failing)
    it(`${what} is a failure (${error})`, async (t) => {
      const made = await outcome(t, answer)
      assert.equal(told(await made.result), error)
      await livesOn(made)
    })

  it('with few interim answers before it counts', async (t) => {
    const made = await outcome(t, (socket) => {
      socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(3))
      socket.write(`${head}content-length: 2\r\n\r\nok`)
    })
    assert.equal(told(await made.result), '200')
  })
})

describe('the body of an answer', () => {
  it('that never ends is cut at the limit and the status decides', async (t) => {
    for (const start of [`${head}\r\n`, `${head}content-length: 1000000000\r\n\r\n`]) {
      const made = await outcome(t, (socket) => {
        socket.write(start)
        flood(socket, Buffer.alloc(100_000, 'x'))
      })
      const result = await made.result
      assert.equal(told(result), '200 cut')
      assert.ok(result.kind === 'answer' && result.body.length === 65_536)
      await livesOn(made)
    }
  })

  it('of exactly the limit is whole', async (t) => {
    const made = await outcome(t, (socket) => {
      socket.write(`${head}content-length: 65536\r\n\r\n${'x'.repeat(65_536)}`)
    })
    assert.equal(told(await made.result), '200')
  })

  it('that drips is cut at the deadline, with what came until then', async (t) => {
    const clock = createManualClock(0)
    let endpointSocket: TLSSocket | undefined
    const made = await outcome(
      t,
      (socket) => {
        endpointSocket = socket
        socket.write('HTTP/1.1 503 Busy\r\ncontent-length: 1000\r\n\r\nabc')
      },
      clock,
    )
    // Each drip would have pushed an idle timer along.
    const dripping = (async () => {
      for (let drip = 0; drip < 49; drip++) {
        endpointSocket?.write('x')
        await new Promise((resolve) => setImmediate(resolve))
        await clock.advance(200)
      }
    })()
    await dripping
    let settled = false
    void made.result.then(() => {
      settled = true
    })
    await new Promise((resolve) => setImmediate(resolve))
    assert.equal(settled, false)
    await clock.advance(200)
    const result = await made.result
    assert.equal(told(result), '503 cut')
    assert.ok(result.kind === 'answer' && result.body.length >= 3)
    await livesOn(made)
  })

  it('that breaks off is cut and the status decides', async (t) => {
    for (const start of [
      `${head}content-length: 1000\r\n\r\nabc`,
      `${head}transfer-encoding: chunked\r\n\r\n3\r\nabc\r\nZZZ`,
    ]) {
      const made = await outcome(t, (socket) => socket.end(start))
      const result = await made.result
      assert.equal(told(result), '200 cut')
      assert.ok(result.kind === 'answer')
      assert.equal(new TextDecoder().decode(result.body), 'abc')
      await livesOn(made)
    }
  })

  it('that is compressed stays as it came', async (t) => {
    const bomb = gzipSync(Buffer.alloc(10_000_000))
    const endpoint = await httpsEndpoint(t, (request, response) => {
      assert.equal(request.headers['accept-encoding'], 'identity')
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb)
    })
    const result = await loopbackTransport(t).post(exchangeTo(endpoint.url))
    assert.ok(result.kind === 'answer')
    assert.deepEqual(Buffer.from(result.body), bomb.subarray(0, 65_536))
  })

  it('that never ends, many times over, leaves memory flat', async (t) => {
    const endpoint = await rawEndpoint(t, (socket) => {
      socket.write(`${head}\r\n`)
      flood(socket, Buffer.alloc(16_384, 'x'))
    })
    const transport = loopbackTransport(t, { connectionsPerOrigin: 8 })
    const exchange = exchangeTo(endpoint.url, { keepBytes: 1024 })
    const rounds = async (count: number) => {
      for (let round = 0; round < count; round++)
        await Promise.all(Array.from({ length: 8 }, () => transport.post(exchange)))
    }
    await rounds(4)
    const before = process.memoryUsage().rss
    await rounds(12)
    assert.ok(process.memoryUsage().rss - before < 64 * 1024 * 1024)
  })
})

describe('TLS', () => {
  const refusing: readonly (readonly [string, () => Parameters<typeof httpsEndpoint>[2]])[] = [
    [
      'with an expired certificate',
      () =>
        serverCert(['hook.localhost'], {
          validity: { from: Date.now() - 7200_000, until: Date.now() - 3600_000 },
        }),
    ],
    [
      'with a certificate that is not valid yet',
      () =>
        serverCert(['hook.localhost'], {
          validity: { from: Date.now() + 3600_000, until: Date.now() + 7200_000 },
        }),
    ],
    ['with a certificate for another host', () => serverCert(['other.localhost'])],
    [
      'with a certificate of an authority that nobody trusts',
      () =>
        serverCert(['hook.localhost'], {
          by: makeAuthority('Countersign tests', {
            from: Date.now() - 1000,
            until: Date.now() + 3600_000,
          }),
        }),
    ],
    [
      'with a self-signed certificate',
      () =>
        makeAuthority('hook.localhost', { from: Date.now() - 1000, until: Date.now() + 3600_000 }),
    ],
    [
      'of version 1.1',
      () => ({
        ...serverCert(['hook.localhost']),
        minVersion: 'TLSv1.1',
        maxVersion: 'TLSv1.1',
        ciphers: 'ALL:@SECLEVEL=0',
      }),
    ],
  ]
  for (const [what, options] of refusing)
    it(`${what} is a failure and no request is sent`, async (t) => {
      let requests = 0
      const endpoint = await httpsEndpoint(
        t,
        (_request, response) => {
          requests++
          response.end()
        },
        options(),
      )
      const result = await loopbackTransport(t).post(exchangeTo(endpoint.url))
      assert.equal(told(result), 'tls', detail(result))
      assert.equal(requests, 0)
    })

  it('names the host in SNI, and no address', async (t) => {
    const names: unknown[] = []
    const endpoint = await httpsEndpoint(t, (request, response) => {
      names.push((request.socket as TLSSocket).servername)
      response.end()
    })
    const transport = loopbackTransport(t)
    await transport.post(exchangeTo(endpoint.url))
    await transport.post(exchangeTo(`https://127.0.0.1:${endpoint.port}/`))
    assert.deepEqual(names, ['hook.localhost', false])
  })

  it('that is never spoken is a failure', async (t) => {
    const server = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    t.after(() => server.close())
    const { port } = server.address() as { readonly port: number }
    const result = await loopbackTransport(t).post(exchangeTo(`https://hook.localhost:${port}/`))
    assert.equal(told(result), 'tls')
  })

  it('that is never answered costs the deadline and leaves no socket', async (t) => {
    const clock = createManualClock(0)
    const sockets: Promise<unknown>[] = []
    let connected = () => {}
    const came = new Promise<void>((resolve) => {
      connected = resolve
    })
    const server = createServer((socket) => {
      socket.on('error', () => {})
      sockets.push(once(socket, 'close'))
      socket.resume()
      connected()
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    t.after(() => server.close())
    const { port } = server.address() as { readonly port: number }
    const result = loopbackTransport(t, { clock }).post(
      exchangeTo(`https://hook.localhost:${port}/`),
    )
    await came
    await clock.advance(10_000)
    assert.equal(told(await result), 'timeout')
    await Promise.all(sockets)
  })
})
