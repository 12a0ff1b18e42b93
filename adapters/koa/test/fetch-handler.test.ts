import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { after, before, describe, test } from 'node:test'
import { seededRandom } from '@countersign/core/testing'
import Router from '@koa/router'
import type { Context } from 'koa'
import { createApp, type FetchHandler, fetchHandler, ingestRouter, portalRouter } from '../index.ts'
import { standardBody } from '../media.ts'
import { newCase, openWorld, type World } from './world.ts'

const types = { 'content-type': 'application/json' }

describe('an app behind a Fetch handler', () => {
  let world: World
  let ingest: FetchHandler
  let portal: FetchHandler

  before(async () => {
    world = await openWorld()
    const { options } = world
    const common = { random: seededRandom(3), observer: options.observer }
    ingest = fetchHandler(createApp(ingestRouter(options), common))
    portal = fetchHandler(createApp(portalRouter(options), common))
  })
  after(() => world.close())

  const key = () => ({ 'x-api-key': world.home.app.key })

  test('opens a case and shows it, as over the network', async () => {
    const url = 'https://ingest.example/v1/review-cases'
    const body = JSON.stringify(newCase())
    const opened = await ingest(
      new Request(url, { method: 'POST', headers: { ...key(), ...types }, body }),
    )
    assert.equal(opened.status, 200)
    assert.match(opened.headers.get('x-request-id') ?? '', /./)
    const { reviewCaseId } = (await opened.json()) as { readonly reviewCaseId: string }
    const path = `/v1/review-cases/${reviewCaseId}`
    const shown = await ingest(new Request(`https://ingest.example${path}`, { headers: key() }))
    const other = await world.call({ host: 'ingest', method: 'GET', path, as: world.home.app })
    assert.deepEqual(await shown.json(), other.json)
    assert.equal(shown.headers.get('etag'), other.headers.etag)
  })

  test('sets the cookies of a login, for the host and the origin of the URL', async () => {
    const url = 'https://portal.example/v1/auth/login'
    const body = JSON.stringify({
      email: world.home.admin.email,
      password: 'correct horse battery',
    })
    const login = (origin: string) =>
      portal(new Request(url, { method: 'POST', headers: { ...types, origin }, body }))
    const answer = await login('https://portal.example')
    assert.equal(answer.status, 200)
    assert.equal(answer.headers.getSetCookie().length, 2)
    assert.equal((await login('https://elsewhere.example')).status, 403)
  })

  test('refuses a body that is too large, sent in pieces without a length', async () => {
    const pieces = Array.from({ length: 20 }, () => Buffer.alloc(standardBody / 10, ' '))
    const init = { method: 'POST', headers: { ...key(), ...types }, duplex: 'half' as const }
    const body = Readable.toWeb(Readable.from(pieces)) as unknown as NonNullable<
      RequestInit['body']
    >
    const request = new Request('https://ingest.example/v1/review-cases', { ...init, body })
    const answer = await ingest(request)
    assert.equal(answer.status, 413)
    assert.equal(((await answer.json()) as { readonly code: string }).code, 'body_too_large')
  })

  test('throttles logins by the address that its host names', async () => {
    const { options } = world
    const app = createApp(portalRouter(options), {
      random: seededRandom(4),
      observer: options.observer,
    })
    let heard = ''
    app.middleware.unshift((ctx, next) => {
      heard = ctx.ip
      return next()
    })
    const handler = fetchHandler(app, { addressOf: () => '203.0.113.9' })
    await handler(new Request('https://portal.example/v1/webhooks'))
    assert.equal(heard, '203.0.113.9')
  })
})

describe('a connection in memory', () => {
  const held: Context[] = []
  const router = new Router()
  router.get('/endless', (ctx) => {
    held.push(ctx)
    ctx.body = new Readable({
      read() {
        this.push(Buffer.alloc(16 * 1024))
      },
    })
  })
  router.get('/silent', (ctx) => {
    held.push(ctx)
    return new Promise<void>((resolve) => ctx.res.once('close', resolve))
  })
  router.get('/broken', (ctx) => void ctx.res.destroy())
  router.head('/empty', (ctx) => {
    ctx.set('Content-Length', '7')
    ctx.status = 200
  })
  const observer = { event: () => {} }
  const handler = fetchHandler(createApp(router, { random: seededRandom(5), observer }))
  const closed = async () => {
    const { res } = held.pop() as Context
    if (!res.closed) await once(res, 'close')
  }

  test('carries no more than its reader takes, and is closed by one who takes no more', async () => {
    const answer = await handler(new Request('http://a/endless'))
    const reader = answer.body?.getReader()
    assert.ok((await reader?.read())?.value?.length)
    const { res } = held.at(-1) as Context
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve))
    assert.ok(res.writableNeedDrain || res.writableLength > 0, 'it went on writing')
    await reader?.cancel()
    await closed()
  })

  test('is closed where the signal aborts before an answer', async () => {
    const abort = new AbortController()
    const answer = handler(new Request('http://a/silent', { signal: abort.signal }))
    while (held.length === 0) await new Promise((resolve) => setImmediate(resolve))
    abort.abort()
    await assert.rejects(answer, { name: 'AbortError' })
    await closed()
  })

  test('that breaks rejects', async () => {
    await assert.rejects(handler(new Request('http://a/broken')), { code: 'ECONNRESET' })
  })

  test('carries the headers of an answer without its body', async () => {
    const answer = await handler(new Request('http://a/empty', { method: 'HEAD' }))
    assert.deepEqual([answer.status, answer.headers.get('content-length')], [200, '7'])
    assert.equal(await answer.text(), '')
  })
})
