import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { httpProbe, runReceiverSuite, textReport } from '@countersign/conformance/receiver'
import { createReceiver, memoryInbox, type Receiver } from '@countersign/receiver-kit'
import { expressHandler } from '@countersign/receiver-kit/express'
import { fastifyPlugin } from '@countersign/receiver-kit/fastify'
import { honoHandler } from '@countersign/receiver-kit/hono'
import { koaMiddleware } from '@countersign/receiver-kit/koa'
import { nodeHandler } from '@countersign/receiver-kit/node'
import { createTestProbe, type TestProbe } from '@countersign/receiver-kit/testing'
import { serve } from '@hono/node-server'
import express from 'express'
import fastify from 'fastify'
import { Hono } from 'hono'
import Koa from 'koa'
import { closers, listenTo } from './shell-support.ts'
import { sharedSecret } from './support.ts'

/** Each answers the URL of the hook; the probe is mounted beside it, in one line. */
type Mount = (receiver: Receiver, probe: TestProbe) => Promise<string>

const hosts: Readonly<Record<string, Mount>> = {
  'node:http': (receiver, probe) => {
    const [hook, test] = [nodeHandler(receiver), nodeHandler(probe)]
    return listenTo((request, response) => {
      void (request.url?.startsWith('/probe') ? test : hook)(request, response)
    })
  },
  Express: (receiver, probe) => {
    const app = express()
    app.all('/hook', expressHandler(receiver))
    app.all('/probe', expressHandler(probe))
    return listenTo(app)
  },
  Koa: (receiver, probe) => {
    const bind = (endpoint: Receiver | TestProbe) => {
      const app = new Koa()
      app.use(koaMiddleware(endpoint))
      return app.callback()
    }
    const [hook, test] = [bind(receiver), bind(probe)]
    return listenTo((request, response) => {
      void (request.url?.startsWith('/probe') ? test : hook)(request, response)
    })
  },
  Fastify: async (receiver, probe) => {
    const app = fastify()
    await app.register(fastifyPlugin(receiver), { path: '/hook' })
    await app.register(fastifyPlugin(probe), { path: '/probe' })
    closers.push(() => app.close())
    return `${await app.listen({ port: 0, host: '127.0.0.1' })}/hook`
  },
  Hono: (receiver, probe) => {
    const app = new Hono()
    app.all('/hook', honoHandler(receiver))
    app.all('/probe', honoHandler(probe))
    return new Promise((resolve) => {
      const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) =>
        resolve(`http://127.0.0.1:${port}/hook`),
      )
      closers.push(async () => server.close())
    })
  },
}

describe('the test probe', () => {
  for (const [name, mount] of Object.entries(hosts))
    it(`lets the conformance suite judge a receiver behind ${name}`, async () => {
      const probe = createTestProbe()
      const inbox = memoryInbox()
      const receiver = createReceiver(
        probe.watch({ keys: [sharedSecret], inbox, onEvent: () => {} }),
      )
      receiver.start()
      closers.push(() => receiver.stop())
      const url = await mount(receiver, probe)
      const only = [
        ...['ordering.head', 'ordering.effects', 'idempotency.one-effect'],
        ...['idempotency.after-days', 'acknowledgement.store-failure', 'timestamp.exact'],
      ]
      const report = await runReceiverSuite({
        ...{ url, keys: [sharedSecret], only, quick: true, budgetMs: 60_000 },
        probe: () => httpProbe(url.replace('/hook', '/probe')),
      })
      assert.equal(report.passed, only.length, textReport(report))
    })

  it('shows effects of a handler that returned, and takes the delay for one that works', async () => {
    const probe = createTestProbe()
    let fails = true
    const options = probe.watch({
      keys: [sharedSecret],
      inbox: memoryInbox(),
      onEvent() {
        if (fails) throw new Error('not yet')
      },
    })
    const ask = async (body: object) => {
      const init = { method: 'POST', body: JSON.stringify(body) }
      return (await probe.fetch(new Request('http://probe/', init))).json()
    }
    const turn = { message: { id: 'evt_1' }, position: 'head' } as never
    const effects = async () =>
      ((await ask({ do: 'read', ids: ['evt_1'] })) as { effects: unknown }).effects
    await assert.rejects(async () => options.onEvent(turn), /not yet/)
    assert.deepEqual(await effects(), [])
    fails = false
    await ask({ do: 'delay', ms: 5 })
    await options.onEvent(turn)
    assert.deepEqual(await effects(), [{ id: 'evt_1', count: 1 }])
    assert.equal((await probe.fetch(new Request('http://probe/'))).status, 405)
  })

  it('answers 500 with the reason before it watches a receiver, and 400 to what it does not know', async () => {
    const probe = createTestProbe()
    const ask = (body: string) =>
      probe.fetch(new Request('http://probe/', { method: 'POST', body }))
    const early = await ask('{"do":"read","ids":[]}')
    assert.equal(early.status, 500)
    assert.match(JSON.stringify(await early.json()), /createReceiver\(probe\.watch/)
    assert.equal((await ask('{"do":"fly"}')).status, 400)
  })
})
