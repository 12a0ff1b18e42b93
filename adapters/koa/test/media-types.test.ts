import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { object, text } from '@countersign/core/kernel'
import { seededRandom } from '@countersign/core/testing'
import Router from '@koa/router'
import { serve } from '../api.ts'
import { anyone } from '../callers.ts'
import { file } from '../download.ts'
import { createApp } from '../index.ts'
import { type Consumed, json } from '../media.ts'
import { refuse } from '../refusal.ts'
import { route } from '../route.ts'
import { type Asked, send } from './client.ts'
import { openWorld, type World } from './world.ts'

const gzipped: Consumed<string> = {
  types: ['application/gzip', 'application/x-gzip'],
  limit: 64,
  input: null,
  decode(bytes) {
    try {
      return { ok: true, value: gunzipSync(bytes ?? Buffer.alloc(0)).toString() }
    } catch {
      return refuse('invalid_request', 'expected gzip')
    }
  },
  check: (decoded) => ({ ok: true, value: String(decoded) }),
}

const unpack = route({
  ...anyone,
  name: 'texts.unpack',
  summary: 'Unpack a text',
  method: 'POST',
  path: '/v1/texts',
  body: gzipped,
  answer: json(object({ text: text(64) })),
  refuses: [],
  handle: async ({ body }) => ({ ok: true, value: { body: { text: body } } }),
})
const print = route({
  ...anyone,
  name: 'texts.print',
  summary: 'Print a text',
  method: 'GET',
  path: '/v1/texts/:textId',
  answer: file('application/pdf', 'application/zip'),
  refuses: [],
  handle: async ({ param }) => {
    const body = new TextEncoder().encode(`a text of ${param('textId')}`)
    switch (param('textId')) {
      case 'gone':
        return refuse('not_found', 'no such text')
      case 'packed':
        return { ok: true, value: { body, headers: { 'Content-Type': 'application/zip' } } }
      default:
        return { ok: true, value: { body } }
    }
  },
})

describe('media types of requests and answers are those of the row', () => {
  let world: World
  let server: Server
  before(async () => {
    world = await openWorld()
    const router = new Router()
    router.post(unpack.path, serve(unpack, world.options))
    router.get(print.path, serve(print, world.options))
    const { observer } = world.options
    const answer = createApp(router, { random: seededRandom(3), observer }).callback()
    server = createServer((request, response) => void answer(request, response))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  })
  after(async () => {
    server.closeAllConnections()
    server.close()
    await world.close()
  })

  async function ask(asked: Asked) {
    const { status, headers, json, text } = await send(
      (server.address() as AddressInfo).port,
      asked,
    )
    return { status, type: headers['content-type'] ?? '', code: json.code, json, text }
  }
  const post = (body: Uint8Array, type: string) =>
    ask({ method: 'POST', path: '/v1/texts', body, headers: { 'content-type': type } })
  const get = (textId: string, accept: string) =>
    ask({ method: 'GET', path: `/v1/texts/${textId}`, headers: { accept } })

  test('a body of a type that the row names is decoded', async () => {
    for (const type of gzipped.types)
      assert.deepEqual((await post(gzipSync('hello'), type)).json, { text: 'hello' }, type)
  })

  test('another type is 415, JSON among them; the limit and the decoder are the row’s', async () => {
    for (const type of ['application/json', 'application/octet-stream', '', 'application/gzip2'])
      assert.equal((await post(gzipSync('hello'), type)).status, 415, type)
    const large = await post(Buffer.alloc(65), 'application/gzip')
    assert.deepEqual([large.status, large.code], [413, 'body_too_large'])
    const broken = await post(Buffer.from('hello'), 'application/gzip')
    assert.deepEqual([broken.status, broken.code], [400, 'invalid_request'])
  })

  test('an answer bears the row’s first type, or the one that its handler names', async () => {
    for (const accept of ['application/pdf', '*/*', 'application/zip, application/pdf;q=0.1']) {
      const { status, type, text } = await get('one', accept)
      assert.deepEqual([status, type, text], [200, 'application/pdf', 'a text of one'], accept)
    }
    assert.equal((await get('packed', '*/*')).type, 'application/zip')
  })

  test('who accepts none of them gets 406, in JSON as every refusal', async () => {
    for (const accept of ['application/json', 'text/*', 'application/pdf;q=0']) {
      const { status, type, code } = await get('one', accept)
      assert.deepEqual([status, code], [406, 'not_acceptable'], accept)
      assert.match(type, /^application\/json/)
    }
    const gone = await get('gone', 'application/pdf')
    assert.deepEqual([gone.status, gone.code], [404, 'not_found'])
    assert.match(gone.type, /^application\/json/)
  })
})
