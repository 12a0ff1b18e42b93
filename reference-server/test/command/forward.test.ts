import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { type RequestOptions, request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { after, describe, it } from 'node:test'
import { ensureLocalCa } from '@countersign/node/local-ca'
import { type Forwarded, openForwarder } from '../../command/forward.ts'
import { scratchDirectory } from '../processes/scratch.ts'

const authority = await ensureLocalCa(join(scratchDirectory(), 'ca'), { now: Date.now() })
const { key, cert } = await authority.certFor(['localhost', '127.0.0.1'])
const tls = { key: Buffer.from(key), cert: Buffer.from(cert) }
const ca = readFileSync(authority.caFile)
const path = '/a-secret-path'
const ended: (() => Promise<void>)[] = []

async function listening(server: Server): Promise<URL> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  ended.push(async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?of=mine`)
}

async function forwarding(target: URL) {
  const forwarded: Forwarded[] = []
  const waiting: (() => void)[] = []
  const forwarder = await openForwarder({
    target,
    tls,
    path,
    onForwarded: (one) => {
      forwarded.push(one)
      waiting.shift()?.()
    },
  })
  ended.push(() => forwarder.close())
  return {
    ask: (options: RequestOptions) =>
      request({ host: '127.0.0.1', port: forwarder.port, path, method: 'POST', ca, ...options }),
    next: () =>
      new Promise<void>((resolve) => {
        waiting.push(resolve)
      }),
    forwarded,
  }
}

async function answerOf(asked: ReturnType<typeof request>, body: Uint8Array) {
  asked.end(body)
  const [answer] = await once(asked, 'response')
  return { answer, bytes: await buffer(answer) }
}

describe('a forwarder', () => {
  after(() => Promise.all(ended.map((end) => end())))

  it('hands on the bytes and the headers as they came, and answers what the target answered', async () => {
    let seen: { url: string; headers: readonly string[]; body: Buffer } | null = null
    const reply = Buffer.from([0, 255, 10, 13, 128])
    const target = await listening(
      createServer(async (incoming, response) => {
        const { url = '', rawHeaders: headers } = incoming
        seen = { url, headers, body: await buffer(incoming) }
        response.writeHead(418, ['x-Odd', 'one', 'X-odd', 'two', 'content-type', 'a/b']).end(reply)
      }),
    )
    const { ask, forwarded } = await forwarding(target)
    // Neither its spaces nor its escapes may be lost by a reading.
    const body = Buffer.from(
      '{ "id":"evt_1",\n"type":"a.b","reviewCaseId":"rc_1","x":"\\u00e4\ufeff" }\r\n',
    )
    const sent = ['Webhook-Id', 'evt_1', 'X-Twice', 'a', 'x-twice', 'b', 'Content-Length']
    const { answer, bytes } = await answerOf(
      ask({ headers: [...sent, String(body.length), 'Host', 'localhost'] }),
      body,
    )
    assert.deepEqual(seen, {
      url: '/hook?of=mine',
      headers: [...sent, String(body.length), 'host', target.host, 'Connection', 'close'],
      body,
    })
    assert.equal(answer.statusCode, 418)
    assert.deepEqual(answer.rawHeaders.slice(0, 6), [
      'x-Odd',
      'one',
      'X-odd',
      'two',
      'content-type',
      'a/b',
    ])
    assert.deepEqual(bytes, reply)
    const [one] = forwarded
    assert.ok(one && one.ms >= 0)
    assert.deepEqual(
      { ...one, ms: 0 },
      { eventId: 'evt_1', type: 'a.b', reviewCaseId: 'rc_1', status: 418, ms: 0, error: null },
    )
  })

  it('answers 502 where nobody listens, and where the answer breaks off before it begins', async () => {
    const gone = createServer()
    const closed = await listening(gone)
    await ended.pop()?.()
    const rude = await listening(createServer((incoming) => incoming.socket.destroy()))
    for (const [target, cause] of [
      [closed, /ECONNREFUSED/],
      [rude, /socket hang up|ECONNRESET/],
    ] as const) {
      const { ask, forwarded } = await forwarding(target)
      const { answer, bytes } = await answerOf(ask({}), Buffer.from('no JSON'))
      assert.equal(answer.statusCode, 502)
      assert.match(bytes.toString(), cause)
      assert.deepEqual(
        forwarded.map(({ status, type }) => [status, type]),
        [[502, null]],
      )
      assert.match(forwarded[0]?.error ?? '', cause)
    }
  })

  it('leaves the target when the service does not wait any longer', async () => {
    let left: () => void = () => {}
    const leaves = new Promise<void>((resolve) => {
      left = resolve
    })
    const slow = createServer((incoming) => incoming.socket.once('close', () => left()))
    const asked = once(slow, 'request')
    const { ask, next, forwarded } = await forwarding(await listening(slow))
    const told = next()
    const asking = ask({})
    asking.on('error', () => {})
    asking.end('{}')
    await asked
    asking.destroy()
    await Promise.all([leaves, told])
    assert.equal(forwarded[0]?.status, null)
    assert.match(forwarded[0]?.error ?? '', /did not wait any longer/)
  })

  it('outlives a target that answers and resets before it has read the body', async () => {
    const answer = 'HTTP/1.1 413 Too Large\r\ncontent-length: 0\r\nconnection: close\r\n\r\n'
    const hasty = createServer()
    hasty.on('connection', (socket) => {
      socket.removeAllListeners('data')
      socket.once('data', () => socket.pause().write(answer, () => socket.resetAndDestroy()))
    })
    const { ask, forwarded } = await forwarding(await listening(hasty))
    const body = Buffer.alloc(16 * 1024 * 1024, ' ')
    for (let tries = 0; tries < 3; tries++) {
      const { answer: given } = await answerOf(ask({}), body)
      assert.ok([413, 502].includes(given.statusCode ?? 0), String(given.statusCode))
    }
    assert.equal(forwarded.length, 3)
  })

  it('serves its path alone, and hands on nothing but POSTs', async () => {
    const target = await listening(createServer(() => assert.fail('nothing is for the target')))
    const { ask, forwarded } = await forwarding(target)
    const other = await answerOf(ask({ path: '/' }), Buffer.from('{}'))
    const read = await answerOf(ask({ method: 'GET' }), Buffer.alloc(0))
    assert.deepEqual([other.answer.statusCode, read.answer.statusCode], [404, 204])
    assert.deepEqual(forwarded, [])
  })
})
