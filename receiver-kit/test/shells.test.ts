import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { expressHandler } from '@countersign/receiver-kit/express'
import { fastifyPlugin } from '@countersign/receiver-kit/fastify'
import { honoHandler } from '@countersign/receiver-kit/hono'
import { koaMiddleware } from '@countersign/receiver-kit/koa'
import { nodeHandler } from '@countersign/receiver-kit/node'
import { sampleChallenge, sampleReviewEvent } from '@countersign/receiver-kit/testing'
import express from 'express'
import fastify from 'fastify'
import { Hono } from 'hono'
import Koa from 'koa'
import { hosts } from './shell-hosts.ts'
import { type Bind, closers, listenTo, makeReceiver, post, signer, whole } from './shell-support.ts'
import { bytes } from './support.ts'

for (const [name, bind] of Object.entries(hosts))
  describe(`the shell of ${name}`, () => {
    it('acknowledges, answers challenges, refuses with a code', async () => {
      const { receiver, handled } = makeReceiver()
      const url = await bind(receiver)
      const message = signer.sign(sampleReviewEvent({ reasonCategory: 'sensitive_data' }))
      assert.deepEqual(await post(url, message), { status: 204, body: null })
      assert.deepEqual(await post(url, message), { status: 204, body: null })
      assert.deepEqual(await post(url, signer.sign(sampleChallenge('é "quoted"'))), {
        status: 200,
        body: { challenge: 'é "quoted"' },
      })
      const forged = { ...message, body: bytes(JSON.stringify(sampleReviewEvent())) }
      assert.deepEqual(await post(url, forged), { status: 401, body: { code: 'bad_signature' } })
      await receiver.drain()
      assert.deepEqual(handled.sort(), ['evt_sample', 'evt_sample_challenge'])
    })

    it('takes every byte as it came', async () => {
      const { receiver, seen } = makeReceiver()
      const url = await bind(receiver)
      const odd = `{ "id":"evt_odd",\r\n"type":"review.case.new",  "text":"\\u00e9 é \u{1F600}" }\n`
      assert.equal((await post(url, signer.signBytes('evt_odd', bytes(odd)))).status, 204)
      assert.deepEqual(
        seen.map((one) => one.name),
        ['receiver.stored'],
      )
    })

    it('bounds the body', async () => {
      const { receiver } = makeReceiver({ maxBodyBytes: 1_000 })
      const url = await bind(receiver)
      const large = signer.sign({ ...sampleReviewEvent(), text: 'x'.repeat(2_000) })
      assert.deepEqual(await post(url, large), { status: 413, body: { code: 'body_too_large' } })
    })
  })

describe('a body that was parsed before', () => {
  const parsers: Record<string, Bind> = {
    'express.json()': (receiver) => {
      const app = express()
      app.use(express.json())
      app.post('/hook', expressHandler(receiver))
      return listenTo(app)
    },
    'a Koa parser': (receiver) => {
      const app = new Koa()
      app.use(async (context, next) => {
        Object.assign(context.request, { body: JSON.parse(String(await whole(context.req))) })
        await next()
      })
      app.use(koaMiddleware(receiver))
      return listenTo(app.callback())
    },
    'a hook of Fastify': async (receiver) => {
      const app = fastify()
      app.addHook('preParsing', async (request, _reply, payload) => {
        await whole(request.raw)
        return payload
      })
      await app.register(fastifyPlugin(receiver), { path: '/hook' })
      closers.push(() => app.close())
      return `${await app.listen({ port: 0, host: '127.0.0.1' })}/hook`
    },
    'something that left nothing': (receiver) =>
      listenTo((request, response) => {
        request.resume().on('end', () => void nodeHandler(receiver)(request, response))
      }),
    'a Hono middleware': async (receiver) => {
      const app = new Hono()
      app.use(async (context, next) => {
        await context.req.raw.json()
        await next()
      })
      app.post('/hook', honoHandler(receiver))
      return listenTo(async (request, response) => {
        const given = new Request('http://localhost/hook', {
          method: 'POST',
          headers: request.headers as Record<string, string>,
          body: await whole(request),
        })
        const answer = await app.fetch(given)
        response.writeHead(answer.status).end(await answer.text())
      })
    },
  }
  for (const [name, bind] of Object.entries(parsers))
    it(`by ${name} is our own fault, 500, and the log tells how to mend it`, async () => {
      const { receiver, seen } = makeReceiver()
      const answer = await post(await bind(receiver), signer.sign(sampleReviewEvent()))
      assert.deepEqual(answer, { status: 500, body: { code: 'body_already_parsed' } })
      assert.match(String(seen[0]?.fields.detail), /before any body parser/)
    })
})

describe('the shell of Fastify', () => {
  it('takes the raw bytes that a hook kept', async () => {
    const { receiver } = makeReceiver()
    const app = fastify()
    app.addHook('preParsing', async (request, _reply, payload) => {
      Object.assign(request, { rawBody: await whole(request.raw) })
      return payload
    })
    await app.register(fastifyPlugin(receiver), { path: '/hook' })
    closers.push(() => app.close())
    const url = `${await app.listen({ port: 0, host: '127.0.0.1' })}/hook`
    assert.equal((await post(url, signer.sign(sampleReviewEvent()))).status, 204)
  })

  it('leaves the parsers of the other routes alone', async () => {
    const { receiver } = makeReceiver()
    const url = await (hosts.Fastify as Bind)(receiver)
    const response = await fetch(url.replace('/hook', '/other'), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"a":1}',
    })
    assert.deepEqual(await response.json(), { a: 1 })
  })
})
