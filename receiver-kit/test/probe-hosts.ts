import type { Receiver } from '@countersign/receiver-kit'
import { expressHandler } from '@countersign/receiver-kit/express'
import { fastifyPlugin } from '@countersign/receiver-kit/fastify'
import { honoHandler } from '@countersign/receiver-kit/hono'
import { koaMiddleware } from '@countersign/receiver-kit/koa'
import {
  type LambdaEvent,
  type LambdaResult,
  lambdaHandler,
  lambdaScheduledHandler,
} from '@countersign/receiver-kit/lambda'
import { nextRoute } from '@countersign/receiver-kit/next'
import { nodeHandler } from '@countersign/receiver-kit/node'
import type { TestProbe } from '@countersign/receiver-kit/testing'
import { workersModule } from '@countersign/receiver-kit/workers'
import { serve } from '@hono/node-server'
import express from 'express'
import fastify from 'fastify'
import { Hono } from 'hono'
import Koa from 'koa'
import { closers, listenTo, whole } from './shell-support.ts'

/** Makes the receiver; called again it is a restart. */
export type Make = () => Receiver

/** Where a receiver takes deliveries; `restart` where the host can put another one into its place. */
export interface Mounted {
  readonly url: string
  readonly restart?: () => void
}
/** The probe is mounted beside the receiver, in one line. */
export type Mount = (make: Make, probe: TestProbe) => Promise<Mounted>

/** Serves what a function answers to requests of Fetch, as the platforms of Next and Workers do. */
const serveFetch = (answer: (request: Request) => Promise<Response>): Promise<string> =>
  listenTo(async (incoming, outgoing) => {
    const { method = 'GET', url = '/', rawHeaders } = incoming
    const body = await whole(incoming)
    const headers = new Headers()
    for (let at = 0; at < rawHeaders.length; at += 2)
      headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '')
    const hasBody = method !== 'GET' && method !== 'HEAD'
    const request = new Request(`http://test${url}`, { method, headers, ...(hasBody && { body }) })
    const response = await answer(request)
    outgoing.writeHead(response.status, Object.fromEntries(response.headers))
    outgoing.end(await response.text())
  })

/** Serves what a function answers to events of API Gateway. */
const serveLambda = (answer: (event: LambdaEvent, path: string) => Promise<LambdaResult>) =>
  listenTo(async (incoming, outgoing) => {
    const { method, headersDistinct } = incoming
    const { statusCode, headers, body } = await answer(
      {
        httpMethod: method,
        multiValueHeaders: headersDistinct,
        body: (await whole(incoming)).toString('base64'),
        isBase64Encoded: true,
      },
      incoming.url ?? '',
    )
    outgoing.writeHead(statusCode, headers).end(body)
  })

const isProbe = ({ url }: { readonly url?: string | undefined }): boolean =>
  url?.includes('/probe') ?? false

/** What a platform calls by schedule. */
function bySchedule(work: () => Promise<unknown>): void {
  const timer = setInterval(() => void work().catch(() => undefined), 30)
  closers.push(async () => clearInterval(timer))
}

export const hosts: Readonly<Record<string, Mount>> = {
  'node:http': async (make, probe) => {
    let hook = nodeHandler(make())
    const test = nodeHandler(probe)
    const url = await listenTo((request, response) => {
      void (isProbe(request) ? test : hook)(request, response)
    })
    return {
      url,
      restart: () => {
        hook = nodeHandler(make())
      },
    }
  },
  Express: async (make, probe) => {
    const app = express()
    let hook = expressHandler(make())
    app.all('/hook', (request, response) => hook(request, response))
    app.all('/probe', expressHandler(probe))
    return {
      url: await listenTo(app),
      restart: () => {
        hook = expressHandler(make())
      },
    }
  },
  Koa: async (make, probe) => {
    const bind = (endpoint: Receiver | TestProbe) => {
      const app = new Koa()
      app.use(koaMiddleware(endpoint))
      return app.callback()
    }
    const [hook, test] = [bind(make()), bind(probe)]
    const url = await listenTo((request, response) => {
      void (isProbe(request) ? test : hook)(request, response)
    })
    return { url }
  },
  Fastify: async (make, probe) => {
    const app = fastify()
    await app.register(fastifyPlugin(make()), { path: '/hook' })
    await app.register(fastifyPlugin(probe), { path: '/probe' })
    closers.push(() => app.close())
    return { url: `${await app.listen({ port: 0, host: '127.0.0.1' })}/hook` }
  },
  Hono: (make, probe) => {
    const app = new Hono()
    app.all('/hook', honoHandler(make()))
    app.all('/probe', honoHandler(probe))
    return new Promise((resolve) => {
      const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) =>
        resolve({ url: `http://127.0.0.1:${port}/hook` }),
      )
      closers.push(async () => server.close())
    })
  },
  Next: async (make, probe) => {
    // Next logs what such work throws, as that of a receiver that a restart killed, and goes on.
    const after = (work: () => Promise<unknown>) => void work().catch(() => undefined)
    const bind = (receiver: Receiver | TestProbe) => nextRoute(receiver, { after })
    let receiver = make()
    const test = bind(probe)
    bySchedule(() => receiver.drain())
    const url = await serveFetch(async (request) => {
      if (request.method !== 'POST') return new Response(null, { status: 405 })
      return (isProbe(request) ? test : bind(receiver)).POST(request)
    })
    return {
      url,
      restart: () => {
        receiver = make()
      },
    }
  },
  Lambda: async (make, probe) => {
    let receiver = make()
    bySchedule(() => lambdaScheduledHandler(receiver)())
    const url = await serveLambda((event, path) =>
      lambdaHandler(isProbe({ url: path }) ? probe : receiver)(event),
    )
    return {
      url,
      restart: () => {
        receiver = make()
      },
    }
  },
  Workers: async (make, probe) => {
    const [worker, test] = [workersModule(make), workersModule(() => probe)]
    // An isolate gets its bindings once; a new one makes its receiver anew.
    let isolate = {}
    const start = async () => {
      isolate = {}
      await worker.scheduled({}, isolate)
    }
    const context = { waitUntil: (work: Promise<unknown>) => void work.catch(() => undefined) }
    bySchedule(() => worker.scheduled({}, isolate))
    const url = await serveFetch((request) =>
      (isProbe(request) ? test : worker).fetch(request, isolate, context),
    )
    return { url, restart: start }
  },
}

/** Hosts that call `drain` behind answers and by schedule, instead of a loop of the receiver's own. */
export const isServerless: ReadonlySet<string> = new Set(['Next', 'Lambda', 'Workers'])
