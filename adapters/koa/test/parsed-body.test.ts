import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { silentObserver } from '@countersign/core/ports'
import { seededRandom } from '@countersign/core/testing'
import Router from '@koa/router'
import type { Middleware } from 'koa'
import { createApp } from '../index.ts'
import { readBytes } from '../read-bytes.ts'
import { send } from './client.ts'

const parser: Middleware = async (ctx, next) => {
  const pieces: Buffer[] = []
  for await (const piece of ctx.req) pieces.push(piece as Buffer)
  ctx.state.parsed = JSON.parse(Buffer.concat(pieces).toString())
  await next()
}

async function answerTo(middleware: readonly Middleware[]): Promise<string> {
  const router = new Router()
  router.post('/read', async (ctx) => {
    const read = await readBytes(ctx, { types: ['application/json'], limit: 100 })
    ctx.body = read.ok ? Buffer.from(read.value ?? []).toString() : read.refusal.code
  })
  const app = createApp(router, { random: seededRandom(1), observer: silentObserver, middleware })
  const server = createServer(app.callback()).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  try {
    const answered = await send(port, {
      method: 'POST',
      path: '/read',
      headers: { 'content-type': 'application/json' },
      body: '{"a":1}',
    })
    return answered.text
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

test('a body that a parser has read is refused, with what to do', async () => {
  assert.equal(await answerTo([parser]), 'body_already_parsed')
})

test('middleware that leaves the body alone does no harm', async () => {
  assert.equal(await answerTo([(_, next) => next()]), '{"a":1}')
})
