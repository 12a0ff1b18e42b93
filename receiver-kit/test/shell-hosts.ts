import { expressHandler } from '@countersign/receiver-kit/express'
import { fastifyPlugin } from '@countersign/receiver-kit/fastify'
import { honoHandler } from '@countersign/receiver-kit/hono'
import { koaMiddleware } from '@countersign/receiver-kit/koa'
import { nodeHandler } from '@countersign/receiver-kit/node'
import { serve } from '@hono/node-server'
import express from 'express'
import fastify from 'fastify'
import { Hono } from 'hono'
import Koa from 'koa'
import { type Bind, closers, listenTo } from './shell-support.ts'

const express5: Record<string, Bind> = {
  'without a parser': (receiver) => {
    const app = express()
    app.post('/hook', expressHandler(receiver))
    return listenTo(app)
  },
  'behind express.raw()': (receiver) => {
    const app = express()
    app.use(express.raw({ type: '*/*' }))
    app.post('/hook', expressHandler(receiver))
    return listenTo(app)
  },
  'behind express.json() that keeps rawBody': (receiver) => {
    const app = express()
    app.use(express.json({ verify: (req, _res, raw) => void Object.assign(req, { rawBody: raw }) }))
    app.post('/hook', expressHandler(receiver))
    return listenTo(app)
  },
  'behind express.text()': (receiver) => {
    const app = express()
    app.use(express.text({ type: '*/*' }))
    app.post('/hook', expressHandler(receiver))
    return listenTo(app)
  },
}

/** A server of each kind around a receiver, by name. */
export const hosts: Record<string, Bind> = {
  'node:http': (receiver) => listenTo(nodeHandler(receiver)),
  ...Object.fromEntries(Object.entries(express5).map(([how, bind]) => [`Express ${how}`, bind])),
  Koa: (receiver) => {
    const app = new Koa()
    app.silent = true
    app.use(koaMiddleware(receiver))
    return listenTo(app.callback())
  },
  Fastify: async (receiver) => {
    const app = fastify()
    await app.register(fastifyPlugin(receiver), { path: '/hook' })
    app.post('/other', async (request) => request.body)
    closers.push(() => app.close())
    return `${await app.listen({ port: 0, host: '127.0.0.1' })}/hook`
  },
  Hono: async (receiver) => {
    const app = new Hono()
    app.post('/hook', honoHandler(receiver))
    return new Promise((resolve) => {
      const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) =>
        resolve(`http://127.0.0.1:${port}/hook`),
      )
      closers.push(async () => server.close())
    })
  },
}
