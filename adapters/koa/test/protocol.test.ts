import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { refusalCodes } from '@countersign/core/ledger'
import { hostCodes, routes, statusOf } from '../index.ts'
import { patternOf } from './check-answer.ts'
import { entitled, keyOf, pathOf, sampleOf } from './requests.ts'
import { newCase, openWorld, type World } from './world.ts'

describe('the protocol', () => {
  let world: World
  before(async () => {
    world = await openWorld()
  })
  after(() => world.close())

  /** Writes to a connection as it stands and reads until the server closes it, or until `enough`. */
  function raw(
    port: number,
    text: string,
    options: { readonly enough?: RegExp; readonly hangUp?: boolean } = {},
  ): Promise<string> {
    return new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1')
      let heard = ''
      socket.setEncoding('latin1')
      socket.on('data', (chunk) => {
        heard += chunk
        if (options.enough?.test(heard)) socket.destroy()
      })
      socket.on('error', () => socket.destroy())
      socket.on('close', () => resolve(heard))
      socket.write(text, () => {
        if (options.hangUp) socket.destroy()
      })
    })
  }

  test('a path that no route has is 404, in the one form of errors', async () => {
    for (const path of [
      '/',
      '/v1',
      '/v2/webhooks',
      '/v1/webhooks/',
      '/V1/webhooks',
      '/v1//webhooks',
      '/v1/compliance/export',
    ])
      for (const method of ['GET', 'POST', 'OPTIONS', 'PROPFIND']) {
        const answer = await world.call({ host: 'portal', method, path, as: world.home.admin })
        assert.equal(answer.status, 404, `${method} ${path}: ${answer.text}`)
        assert.equal(answer.json.code, 'not_found')
        assert.equal(answer.headers.allow, undefined)
      }
  })

  test('a method that a path does not know is 405 with Allow; OPTIONS tells the same', async () => {
    for (const host of ['portal', 'ingest'] as const) {
      const rows = routes.filter((row) => row.host === host)
      for (const path of new Set(rows.map((row) => row.path))) {
        const concrete = path.replace(/:\w+/g, 'x')
        // A name may be an id to another route: /v1/applications/auditor-pack, and /v1/applications/:applicationId.
        const methods = new Set(['OPTIONS'])
        for (const row of rows.filter((each) => patternOf(each.path).test(concrete))) {
          methods.add(row.method)
          if (row.method === 'GET') methods.add('HEAD')
        }
        for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND']) {
          if (methods.has(method)) continue
          const answer = await world.call({ host, method, path: concrete })
          assert.equal(answer.status, 405, `${method} ${path}`)
          assert.equal(answer.json.code, 'method_not_allowed')
          assert.deepEqual(
            new Set(answer.headers.allow?.split(', ')),
            new Set([...methods].filter((each) => each !== 'OPTIONS')),
            path,
          )
        }
        const options = await world.call({ host, method: 'OPTIONS', path: concrete })
        assert.equal(options.status, 200)
        assert.ok(options.headers.allow)
      }
    }
  })

  test('HEAD answers as GET does, without the body', async () => {
    for (const row of routes.filter(({ method }) => method === 'GET')) {
      const sample = await sampleOf(row, world)
      const asked = { host: row.host, path: pathOf(row, sample), as: entitled(sample, world) }
      const get = await world.call({ ...asked, method: 'GET' })
      const head = await world.call({ ...asked, method: 'HEAD' })
      assert.deepEqual([head.status, head.text], [get.status, ''], keyOf(row))
      for (const name of ['content-type', 'content-length', 'etag', 'cache-control'])
        assert.equal(head.headers[name], get.headers[name], `${keyOf(row)} ${name}`)
    }
  })

  test('what accepts no JSON is 406', async () => {
    const ask = (accept: string) =>
      world.call({
        host: 'portal',
        method: 'GET',
        path: '/v1/webhooks',
        as: world.home.admin,
        headers: { accept },
      })
    for (const accept of ['application/pdf', 'text/html', 'application/json;q=0']) {
      const answer = await ask(accept)
      assert.deepEqual([answer.status, answer.json.code], [406, 'not_acceptable'], accept)
    }
    for (const accept of ['*/*', 'application/*', 'text/html, application/json;q=0.1'])
      assert.equal((await ask(accept)).status, 200, accept)
  })

  test('a request bears the id that it came with, if that can do no harm', async () => {
    const ask = (id: string | readonly string[]) =>
      world.call({
        host: 'portal',
        method: 'GET',
        path: '/v1/auth/session',
        headers: { 'x-request-id': id },
      })
    for (const id of ['a', 'req-1.2_3', 'x'.repeat(64)]) {
      const answer = await ask(id)
      assert.deepEqual([answer.headers['x-request-id'], answer.json.requestId], [id, id])
    }
    const made = new Set<unknown>()
    for (const id of ['', 'x'.repeat(65), '<script>', 'a b', 'a;b', '"', 'é', ['a', 'b']]) {
      const answer = await ask(id)
      assert.match(String(answer.json.requestId), /^[0-9a-f]{24}$/)
      assert.equal(answer.headers['x-request-id'], answer.json.requestId)
      made.add(answer.json.requestId)
    }
    assert.equal(made.size, 8)
  })

  test('errors name no route’s insides', async () => {
    const broken = await openWorld()
    try {
      broken.store.read = () => Promise.reject(new Error('disk /var/lib/secret is on fire'))
      const answer = await broken.call({
        host: 'portal',
        method: 'GET',
        path: '/v1/webhooks',
        as: broken.home.admin,
      })
      assert.deepEqual([answer.status, answer.json.code], [500, 'internal'])
      assert.equal(answer.text.includes('secret'), false)
      assert.match(broken.incidents[0] ?? '', /on fire/)
    } finally {
      await broken.close()
    }
  })

  test('a URL that can not be parsed is 400', async () => {
    for (const target of ['http://[::bad/', 'http://a:99999999/', '//[', 'http://%/v1']) {
      const text = `GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`
      assert.match(await raw(world.ports.portal, text), /^HTTP\/1\.1 40[04] /, target)
    }
    const bad = 'GET http://[::bad/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
    assert.match(
      await raw(world.ports.portal, bad),
      /^HTTP\/1\.1 400 [\s\S]*"code":"invalid_request"/,
    )
    assert.deepEqual(world.incidents, [])
  })

  test('a type is named in any case', async () => {
    const answer = await world.call({
      host: 'portal',
      method: 'POST',
      path: '/v1/applications',
      as: world.home.admin,
      headers: { 'content-type': 'APPLICATION/Json; Charset="UTF-8"' },
      body: '{"name":"x"}',
    })
    assert.equal(answer.status, 200, answer.text)
  })

  test('headers beyond 16 KiB are 431', async () => {
    const { portal } = world.ports
    const padding = 'x'.repeat(17 * 1024)
    const heard = await raw(
      portal,
      `GET /v1/webhooks HTTP/1.1\r\nHost: a\r\nX-Padding: ${padding}\r\n\r\n`,
    )
    assert.match(heard, /^HTTP\/1\.1 431 /)
  })

  test('two lengths, or a length and chunks, are no request', async () => {
    const { portal } = world.ports
    const untouched = world.contents()
    const head = 'POST /v1/auth/login HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n'
    const smuggled = '0\r\n\r\nGET /v1/applications HTTP/1.1\r\nHost: a\r\n\r\n'
    for (const lengths of [
      'Transfer-Encoding: chunked\r\nContent-Length: 5\r\n',
      'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n',
      'Content-Length: 5\r\nContent-Length: 6\r\n',
      'Content-Length: +5\r\n',
      'Transfer-Encoding: chunked, identity\r\n',
      'Transfer-Encoding: xchunked\r\n',
    ]) {
      const heard = await raw(portal, `${head}${lengths}\r\n${smuggled}`)
      assert.match(heard, /^HTTP\/1\.1 400 /, lengths)
      assert.equal(heard.split('HTTP/1.1').length, 2, `${lengths}: more than one answer`)
    }
    assert.equal(world.contents(), untouched)
  })

  test('a body that ends early writes nothing', async () => {
    const { home, ports } = world
    const body = JSON.stringify(newCase())
    const head =
      `POST /v1/review-cases HTTP/1.1\r\nHost: a\r\nX-API-Key: ${home.app.key}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`
    const untouched = world.contents()
    await raw(ports.ingest, head + body.slice(0, -1), { hangUp: true })
    // Another request on another connection comes after the first was judged.
    await world.call({ host: 'ingest', method: 'GET', path: '/v1/review-cases/x', as: home.app })
    assert.equal(world.contents(), untouched)
    assert.deepEqual(world.incidents, [])
  })

  test('a body that never ends is refused at the limit', async () => {
    const { home, ports } = world
    const untouched = world.contents()
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`
    const heard = await raw(
      ports.ingest,
      `POST /v1/review-cases HTTP/1.1\r\nHost: a\r\nX-API-Key: ${home.app.key}\r\n` +
        `Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunk.repeat(40)}`,
      { enough: /"code":"body_too_large"/ },
    )
    assert.match(heard, /^HTTP\/1\.1 413 /)
    assert.equal(world.contents(), untouched)
  })
})

describe('the rate of a key', () => {
  test('counts bodies and answers too: each 256 KiB of them as one more request', async () => {
    const world = await openWorld({ perMinute: 20 })
    try {
      const { home, call, clock } = world
      const path = await ownCase(world)
      const remaining = async () => {
        const { status, headers } = await call({
          host: 'ingest',
          method: 'GET',
          path,
          as: home.app,
        })
        return [status, Number(headers['x-ratelimit-remaining'])]
      }
      assert.deepEqual(await remaining(), [200, 19])
      const presentation = { text: 'x'.repeat(3 * 256 * 1024) }
      const body = { ...newCase(), presentation }
      const opened = {
        host: 'ingest',
        method: 'POST',
        path: '/v1/review-cases',
        as: home.app,
      } as const
      // It came, and the case is its answer: itself and six more.
      assert.equal((await call({ ...opened, body })).status, 200)
      assert.deepEqual(await remaining(), [200, 11])
      // Beyond the limit what has been let in counts too.
      for (const name of ['second', 'third'])
        assert.equal((await call({ ...opened, body: { ...body, ...named(name) } })).status, 200)
      assert.deepEqual(await remaining(), [429, 0])
      await clock.advance(60_000)
      assert.deepEqual(await remaining(), [200, 19])
    } finally {
      await world.close()
    }
  })

  test('is told on every authenticated answer, and refused with Retry-After beyond the limit', async () => {
    const world = await openWorld({ perMinute: 3 })
    try {
      const { home, sibling, call, clock, contents } = world
      const path = await ownCase(world)
      const ask = (as = home.app) => call({ host: 'ingest', method: 'GET', path, as })
      const seen = []
      for (let n = 0; n < 3; n++) {
        seen.push(await ask())
        await clock.advance(10_000)
      }
      assert.deepEqual(
        seen.map(({ status, headers }) => [status, headers['x-ratelimit-remaining']]),
        [
          [200, '2'],
          [200, '1'],
          [200, '0'],
        ],
      )
      const first = clock.now() - 30_000
      for (const { headers } of seen) {
        assert.equal(headers['x-ratelimit-limit'], '3')
        assert.equal(headers['x-ratelimit-reset'], String(Math.ceil((first + 60_000) / 1000)))
      }
      const untouched = contents()
      const refused = await call({
        host: 'ingest',
        method: 'POST',
        path: '/v1/review-cases',
        as: home.app,
        body: '{',
        headers: { 'content-type': 'text/plain' },
      })
      // Before 415 and 400; the oldest of the three leaves the minute in 30 s.
      assert.deepEqual([refused.status, refused.json.code], [429, 'rate_limited'])
      assert.equal(refused.headers['retry-after'], '30')
      assert.equal(refused.headers['x-ratelimit-remaining'], '0')
      assert.equal(contents(), untouched)
      // Another key has its own; a stranger to all has none.
      assert.equal((await ask(sibling)).headers['x-ratelimit-remaining'], '2')
      const nobody = await call({ host: 'ingest', method: 'GET', path: '/v1/review-cases/x' })
      assert.equal(nobody.headers['x-ratelimit-limit'], undefined)
      assert.equal(nobody.headers['www-authenticate'], 'Bearer')
      // 403, 404 and 410 are told before 429.
      const sandbox = await call({
        host: 'ingest',
        method: 'POST',
        path: '/v1/review-cases',
        as: home.app,
        body: newCase(),
        headers: { 'x-service-sandbox': 'true' },
      })
      assert.deepEqual(
        [sandbox.json.code, sandbox.headers['x-ratelimit-remaining']],
        ['sandbox_read_only', '0'],
      )
      const unknown = { host: 'ingest', method: 'GET', path: '/v1/review-cases/x' } as const
      assert.equal((await call({ ...unknown, as: home.app })).status, 404)
      const { applicationId } = home.app
      await world.alter('applications', { applicationId }, { lifecycleState: 'pending_deletion' })
      assert.equal((await ask()).status, 410)
      await world.alter('applications', { applicationId }, { lifecycleState: 'active' })
      await clock.advance(30_000)
      assert.equal((await ask()).status, 200)
    } finally {
      await world.close()
    }
  })

  test('counts a key however it is sent', async () => {
    const world = await openWorld({ perMinute: 1 })
    try {
      const { home, call } = world
      const headers = { authorization: `Bearer ${home.app.key}` }
      const path = await ownCase(world)
      assert.equal((await call({ host: 'ingest', method: 'GET', path, headers })).status, 200)
      assert.equal((await call({ host: 'ingest', method: 'GET', path, as: home.app })).status, 429)
    } finally {
      await world.close()
    }
  })
})

test('every code has a status of the interface', () => {
  assert.deepEqual(Object.keys(statusOf).sort(), [...refusalCodes, ...hostCodes].sort())
  assert.deepEqual(
    hostCodes.filter((code) => (refusalCodes as readonly string[]).includes(code)),
    [],
    'each code is of the core or of the host',
  )
  const known = [400, 401, 403, 404, 405, 406, 409, 410, 412, 413, 415, 422, 429, 500, 503]
  for (const status of Object.values(statusOf)) assert.ok(known.includes(status), String(status))
})

/** The path of a case of the home application. */
async function ownCase(world: World): Promise<string> {
  return `/v1/review-cases/${(await world.opened(world.home.app)).reviewCaseId}`
}

function named(name: string) {
  return { checkpointId: name, idempotencyKey: name }
}
