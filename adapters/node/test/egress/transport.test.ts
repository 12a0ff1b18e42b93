import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { createManualClock } from '@countersign/core/testing'
import { createTransport } from '@countersign/node'
import {
  authority,
  detail,
  exchangeTo,
  httpsEndpoint,
  loopbackTransport,
  told,
} from './endpoint.ts'

describe('an exchange', () => {
  it('posts the bytes and headers that it was given and tells the answer', async (t) => {
    let seen: unknown
    const endpoint = await httpsEndpoint(t, async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      const { host, ...headers } = request.headers
      seen = [request.method, request.url, headers, Buffer.concat(chunks).toString(), host]
      response.setHeader('x-twice', ['a', 'b'])
      response.writeHead(202, { 'content-type': 'text/plain' }).end('thanks')
    })
    const result = await loopbackTransport(t).post(exchangeTo(`${endpoint.url}?a=1`))
    assert.ok(result.kind === 'answer')
    assert.equal(result.status, 202)
    assert.equal(new TextDecoder().decode(result.body), 'thanks')
    assert.equal(result.truncated, false)
    assert.equal(result.headers['x-twice'], 'a, b')
    assert.ok(result.latencyMs > 0 && result.latencyMs < 10_000)
    assert.deepEqual(seen, [
      'POST',
      '/hook?a=1',
      {
        'accept-encoding': 'identity',
        connection: 'keep-alive',
        'content-length': '14',
        'content-type': 'application/json',
        'webhook-id': 'evt_1',
      },
      '{"id":"evt_1"}',
      `hook.localhost:${endpoint.port}`,
    ])
  })

  it('tells every status as it came and follows no redirect', async (t) => {
    let requests = 0
    const endpoint = await httpsEndpoint(t, (request, response) => {
      requests++
      const status = Number(new URL(request.url ?? '', 'https://x').searchParams.get('status'))
      response.writeHead(status, { location: 'https://169.254.169.254/latest/meta-data' }).end()
    })
    const transport = loopbackTransport(t)
    const statuses = [
      200, 204, 299, 300, 301, 302, 303, 304, 307, 308, 400, 404, 408, 410, 429, 500, 503, 999,
    ]
    for (const status of statuses)
      assert.equal(
        told(await transport.post(exchangeTo(`${endpoint.url}?status=${status}`))),
        `${status}`,
      )
    assert.equal(requests, statuses.length)
  })

  it('uses one connection again and again', async (t) => {
    const endpoint = await httpsEndpoint(t, (request, response) => {
      request.resume()
      response.writeHead(204).end()
    })
    const transport = loopbackTransport(t)
    for (let sent = 0; sent < 20; sent++)
      assert.equal(told(await transport.post(exchangeTo(endpoint.url))), '204')
    assert.equal(endpoint.connections(), 1)
  })

  it('opens no more connections to one origin than it may, and serves all that wait', async (t) => {
    let open = 0
    let most = 0
    const endpoint = await httpsEndpoint(t, (request, response) => {
      most = Math.max(most, ++open)
      request.resume()
      setImmediate(() => {
        open--
        response.writeHead(204).end()
      })
    })
    const transport = loopbackTransport(t, { connectionsPerOrigin: 3 })
    const results = await Promise.all(
      Array.from({ length: 60 }, () => transport.post(exchangeTo(endpoint.url))),
    )
    assert.deepEqual(new Set(results.map(told)), new Set(['204']))
    assert.equal(endpoint.connections(), 3)
    assert.ok(most <= 3)
  })

  it('dials anew after the endpoint closed the connection', async (t) => {
    const endpoint = await httpsEndpoint(t, (request, response) => {
      request.resume()
      response.writeHead(200, { connection: 'close' }).end('bye')
    })
    const transport = loopbackTransport(t)
    for (let sent = 0; sent < 3; sent++)
      assert.equal(told(await transport.post(exchangeTo(endpoint.url))), '200')
    assert.equal(endpoint.connections(), 3)
  })

  it('refuses a header that would split or cannot be sent, sends nothing, and does not throw', async (t) => {
    let requests = 0
    const endpoint = await httpsEndpoint(t, (_request, response) => {
      requests++
      response.end()
    })
    const transport = loopbackTransport(t)
    for (const headers of [
      { 'webhook-id': 'a\r\nx-injected: 1' },
      { 'webhook-id': 'a\nb' },
      { 'webhook-id': 'a\0b' },
      { 'webhook-id': 'a\u0100b' },
      { 'webhook-id': 'secret€' },
      { 'bad name': 'x' },
      { 'bad\r\nname': 'x' },
      { '': 'x' },
    ]) {
      const result = await transport.post(exchangeTo(endpoint.url, { headers }))
      assert.equal(told(result), 'protocol')
      assert.ok(!detail(result).includes('secret'))
    }
    assert.equal(requests, 0)
    assert.equal(told(await transport.post(exchangeTo(endpoint.url))), '200')
  })

  it('encodes control characters of a path', async (t) => {
    let seen: string | undefined
    const endpoint = await httpsEndpoint(t, (request, response) => {
      seen = request.url
      response.end()
    })
    const url = `https://hook.localhost:${endpoint.port}/a\r\nb\0é?q=\n\u0001`
    await loopbackTransport(t).post(exchangeTo(url))
    assert.match(seen ?? '', /^\/[!-~]*$/)
    assert.ok(!seen?.includes('\0'))
  })

  it('is given up when the transport is closed, and refused after that', async (t) => {
    const endpoint = await httpsEndpoint(t, () => {})
    const transport = loopbackTransport(t)
    const under = transport.post(exchangeTo(endpoint.url))
    transport.close()
    assert.equal(told(await under), 'aborted')
    assert.equal(told(await transport.post(exchangeTo(endpoint.url))), 'aborted')
  })

  it('to a port where nobody listens is a failed connect', async (t) => {
    const endpoint = await httpsEndpoint(t, () => {})
    const closed = await httpsEndpoint(t, () => {})
    assert.notEqual(endpoint.port, closed.port)
    const transport = loopbackTransport(t, { resolve: async () => ['127.0.0.9'] })
    assert.equal(told(await transport.post(exchangeTo(endpoint.url))), 'connect')
  })
})

describe('addresses at the moment of sending', () => {
  it('are checked although the name was public when it was registered', async (t) => {
    let requests = 0
    const endpoint = await httpsEndpoint(t, (_request, response) => {
      requests++
      response.end()
    })
    const strict = createTransport({ resolve: async () => ['127.0.0.1'], ca: authority.cert })
    t.after(() => strict.close())
    const result = await strict.post(exchangeTo(endpoint.url))
    assert.equal(told(result), 'refused_address')
    assert.ok(!detail(result).includes('127.0.0.1'))
    for (const host of ['127.0.0.1', '[::1]', '2130706433', '0x7f.1'])
      assert.equal(
        told(await strict.post(exchangeTo(`https://${host}:${endpoint.port}/`))),
        'refused_address',
      )
    assert.equal(requests, 0)
    assert.equal(endpoint.connections(), 0)
  })

  it('refuse the exchange when one of them is private, whatever the others are', async (t) => {
    for (const addresses of [
      ['93.184.216.34', 'fd00::1'],
      ['10.0.0.1', '93.184.216.34'],
      [...Array.from({ length: 63 }, (_, at) => `93.184.216.${at}`), '169.254.169.254'],
    ]) {
      const transport = loopbackTransport(t, { resolve: async () => addresses })
      assert.equal(
        told(await transport.post(exchangeTo('https://hook.localhost:8443/'))),
        'refused_address',
      )
    }
  })

  it('are those dialled: the name is looked up once for an attempt, and never by the socket', async (t) => {
    const endpoint = await httpsEndpoint(t, (_request, response) => response.writeHead(204).end())
    const asked: string[] = []
    const transport = loopbackTransport(t, {
      resolve: async (hostname) => {
        asked.push(hostname)
        // A second answer would lead elsewhere.
        return asked.length === 1 ? ['127.0.0.1'] : ['127.0.0.66']
      },
    })
    const sent = Array.from({ length: 8 }, () => transport.post(exchangeTo(endpoint.url)))
    assert.deepEqual(new Set((await Promise.all(sent)).map(told)), new Set(['204']))
    assert.deepEqual(asked, ['hook.localhost'])
  })

  it('are looked up and checked again after ten seconds, also for a connection that is still open', async (t) => {
    const clock = createManualClock(0)
    const endpoint = await httpsEndpoint(t, (_request, response) => response.writeHead(204).end())
    let answer: readonly string[] = ['127.0.0.1']
    let asked = 0
    const transport = loopbackTransport(t, {
      clock,
      resolve: async () => {
        asked++
        return answer
      },
    })
    const post = async () => told(await transport.post(exchangeTo(endpoint.url)))
    assert.deepEqual([await post(), await post(), asked], ['204', '204', 1])
    await clock.advance(10_000)
    assert.deepEqual([await post(), asked, endpoint.connections()], ['204', 2, 1])
    answer = ['192.168.0.1']
    await clock.advance(10_000)
    assert.deepEqual([await post(), asked, endpoint.connections()], ['refused_address', 3, 1])
    answer = ['127.0.0.1']
    assert.deepEqual([await post(), asked], ['204', 4])
  })

  it('that changed leave the old connection behind', async (t) => {
    const clock = createManualClock(0)
    const endpoint = await httpsEndpoint(t, (_request, response) => response.writeHead(204).end(), {
      host: '0.0.0.0',
    })
    let address = '127.0.0.1'
    const transport = loopbackTransport(t, { clock, resolve: async () => [address] })
    assert.equal(told(await transport.post(exchangeTo(endpoint.url))), '204')
    address = '127.0.0.2'
    await clock.advance(10_000)
    assert.equal(told(await transport.post(exchangeTo(endpoint.url))), '204')
    assert.equal(endpoint.connections(), 2)
  })

  it('are tried in turn until one listens', async (t) => {
    const endpoint = await httpsEndpoint(t, (_request, response) => response.writeHead(204).end())
    const transport = loopbackTransport(t, { resolve: async () => ['127.0.0.9', '127.0.0.1'] })
    assert.equal(told(await transport.post(exchangeTo(endpoint.url))), '204')
  })

  it('that a name does not have, or has inside, are one answer to tenants and two to operators', async (t) => {
    const code = (value: string) => Object.assign(new Error('x'), { code: value })
    const lookups: readonly (readonly [() => Promise<string[]>, error: string, told: RegExp])[] = [
      [() => Promise.reject(code('ENOTFOUND')), 'dns', /ENOTFOUND/],
      [() => Promise.reject(code('ESERVFAIL')), 'dns', /ESERVFAIL/],
      [async () => [], 'dns', /no address/],
      [async () => ['10.0.0.1'], 'refused_address', /not public/],
      [async () => ['93.184.216.34', 'fd00::1'], 'refused_address', /not public/],
      [async () => Array(257).fill('93.184.216.34'), 'refused_address', /257 addresses/],
    ]
    const seen = new Set<string>()
    for (const [resolve, error, told] of lookups) {
      const transport = loopbackTransport(t, { resolve })
      const result = await transport.post(exchangeTo('https://hook.localhost:8443/'))
      assert.ok(result.kind === 'error')
      seen.add(`${result.error}: ${result.detail}`)
      assert.equal(result.operators?.error, error)
      assert.match(result.operators?.detail ?? '', told)
    }
    assert.equal(seen.size, 1)
  })

  it('for which no answer ever comes cost the deadline, and not the next exchange', async (t) => {
    const clock = createManualClock(0)
    const endpoint = await httpsEndpoint(t, (_request, response) => response.writeHead(204).end())
    let silent = true
    const transport = loopbackTransport(t, {
      clock,
      resolve: async () => (silent ? new Promise<never>(() => {}) : ['127.0.0.1']),
    })
    const first = transport.post(exchangeTo(endpoint.url))
    await clock.advance(10_000)
    assert.equal(told(await first), 'timeout')
    silent = false
    assert.equal(told(await transport.post(exchangeTo(endpoint.url))), '204')
  })

  it('written in the URL are dialled as they are, with a certificate for the address', async (t) => {
    const endpoint = await httpsEndpoint(t, (request, response) => {
      response.writeHead(200).end(request.headers.host)
    })
    const transport = loopbackTransport(t, { resolve: async () => assert.fail('was asked') })
    const result = await transport.post(exchangeTo(`https://127.0.0.1:${endpoint.port}/`))
    assert.ok(result.kind === 'answer')
    assert.equal(new TextDecoder().decode(result.body), `127.0.0.1:${endpoint.port}`)
  })

  it('refuse URLs that were never to be sent to', async (t) => {
    const transport = loopbackTransport(t)
    for (const url of [
      'http://hook.localhost:8080/',
      'https://u:p@hook.localhost:8443/',
      'https://hook.localhost:22/',
      'https://hook.localhost:25/',
      'nonsense',
    ])
      assert.equal(told(await transport.post(exchangeTo(url))), 'refused_address', url)
  })
})

describe('the deadline of an exchange', () => {
  async function answeredAfter(
    t: Parameters<typeof httpsEndpoint>[0],
    ms: number,
  ): Promise<string> {
    const clock = createManualClock(0)
    const requests: (() => void)[] = []
    const endpoint = await httpsEndpoint(t, (_request, response) => {
      requests.push(() => response.writeHead(204).end())
      arrived.emit('request')
    })
    const { EventEmitter } = await import('node:events')
    const arrived = new EventEmitter()
    const came = once(arrived, 'request')
    const result = loopbackTransport(t, { clock }).post(exchangeTo(endpoint.url))
    await came
    await clock.advance(ms)
    for (const answer of requests) answer()
    return told(await result)
  }

  it('is met at 9.9 s and missed from 10.0 s on', async (t) => {
    assert.equal(await answeredAfter(t, 9_900), '204')
    assert.equal(await answeredAfter(t, 9_999), '204')
    assert.equal(await answeredAfter(t, 10_000), 'timeout')
    assert.equal(await answeredAfter(t, 10_100), 'timeout')
  })

  it('is judged by the clock when the answer comes, not by the timer', async (t) => {
    let now = 0
    const endpoint = await httpsEndpoint(t, (_request, response) => {
      now = 10_000
      response.writeHead(204).end()
    })
    const transport = loopbackTransport(t, {
      clock: { now: () => now, monotonic: () => now, after: () => () => {} },
    })
    assert.equal(told(await transport.post(exchangeTo(endpoint.url))), 'timeout')
  })

  it('covers the wait for a connection', async (t) => {
    const clock = createManualClock(0)
    let requests = 0
    const endpoint = await httpsEndpoint(t, () => {
      requests++
    })
    const transport = loopbackTransport(t, { clock, connectionsPerOrigin: 1 })
    const results = Promise.all([1, 2, 3].map(() => transport.post(exchangeTo(endpoint.url))))
    await clock.advance(10_000)
    assert.deepEqual((await results).map(told), ['timeout', 'timeout', 'timeout'])
    assert.ok(requests <= 1)
  })

  it('leaves nothing open behind', async (t) => {
    const clock = createManualClock(0)
    const closed: Promise<unknown>[] = []
    const endpoint = await httpsEndpoint(t, (request) => {
      closed.push(once(request.socket, 'close'))
      arrived()
    })
    let arrived = () => {}
    const came = new Promise<void>((resolve) => {
      arrived = resolve
    })
    const transport = loopbackTransport(t, { clock })
    const result = transport.post(exchangeTo(endpoint.url))
    await came
    await clock.advance(10_000)
    assert.equal(told(await result), 'timeout')
    await Promise.all(closed)
    await clock.advance(130_000)
    assert.equal(clock.waiting(), 0)
  })
})
