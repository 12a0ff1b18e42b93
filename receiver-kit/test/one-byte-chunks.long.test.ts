import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { koaMiddleware } from '@countersign/receiver-kit/koa'
import { nodeHandler } from '@countersign/receiver-kit/node'
import { sampleReviewEvent } from '@countersign/receiver-kit/testing'
import Koa from 'koa'
import { listenTo, makeReceiver, signer } from './shell-support.ts'

const mebibyte = 1_048_576
const chunks = 1_000_000
/** One chunk of one byte, as chunked transfer coding has it. */
const oneByte = '1\r\n \r\n'

/** Sends a body of one-byte chunks that never ends; resolves when all were written. */
async function drip(url: string, signed: boolean): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.on('error', () => undefined)
  const { headers } = signer.sign(sampleReviewEvent())
  const lines = Object.entries(signed ? headers : {}).map(([name, value]) => `${name}: ${value}`)
  socket.write(
    ['POST /hook HTTP/1.1', 'host: a', 'transfer-encoding: chunked', ...lines, '', ''].join('\r\n'),
  )
  const piece = oneByte.repeat(5_000)
  for (let sent = 0; sent < chunks && !socket.destroyed; sent += 5_000)
    if (!socket.write(piece)) await Promise.race([once(socket, 'drain'), once(socket, 'close')])
  return socket
}

const once = (socket: Socket, event: 'drain' | 'close') =>
  new Promise<void>((resolve) => socket.once(event, () => resolve()))

describe('an unfinished body of a million one-byte chunks', () => {
  const hosts = {
    'node:http': (receiver: Parameters<typeof nodeHandler>[0]) => listenTo(nodeHandler(receiver)),
    Koa: (receiver: Parameters<typeof nodeHandler>[0]) => {
      const app = new Koa()
      app.silent = true
      app.use(koaMiddleware(receiver))
      return listenTo(app.callback())
    },
  }
  for (const [name, bind] of Object.entries(hosts))
    it(`costs a buffer of its size behind ${name}`, async (t) => {
      const { receiver } = makeReceiver({ ackDeadlineMs: 9_900 })
      const url = await bind(receiver)
      globalThis.gc?.()
      const before = process.memoryUsage()
      const sockets = await Promise.all([drip(url, true), drip(url, true)])
      await pause(50)
      globalThis.gc?.()
      const after = process.memoryUsage()
      for (const socket of sockets) socket.destroy()
      const grown = after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers
      t.diagnostic(`${Math.round(grown / mebibyte)} MiB for two bodies, rss ${after.rss}`)
      // Without a collection forced, what the parser made and dropped counts too.
      assert.ok(grown < 64 * mebibyte, `${Math.round(grown / mebibyte)} MiB`)
    })
})
