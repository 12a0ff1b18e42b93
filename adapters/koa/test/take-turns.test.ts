import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { takeTurns } from '../index.ts'

/** Sends `count` requests in one write; each is answered when the test says so. */
async function pipelined(
  count: number,
  wrap: (listener: RequestListener) => RequestListener,
  run: (at: {
    readonly socket: Socket
    readonly working: ServerResponse[]
    readonly begun: readonly string[]
  }) => Promise<void>,
): Promise<void> {
  const working: ServerResponse[] = []
  const begun: string[] = []
  const server = createServer(
    wrap((request, response) => {
      begun.push(String(request.url))
      working.push(response)
    }),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  await once(socket, 'connect')
  socket.on('error', () => {})
  const request = (at: number) => `GET /${at} HTTP/1.1\r\nHost: x\r\n\r\n`
  socket.write(Array.from({ length: count }, (_, at) => request(at)).join(''))
  try {
    await run({ socket, working, begun })
  } finally {
    socket.destroy()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
}

async function turns(until: () => boolean): Promise<void> {
  while (!until()) await nextTurn()
}

/** The most requests in work at once, and the order in which they began. */
async function workThrough(wrap: (listener: RequestListener) => RequestListener) {
  let most = 0
  let order: readonly string[] = []
  await pipelined(20, wrap, async ({ socket, working, begun }) => {
    let answers = ''
    socket.setEncoding('utf8').on('data', (text) => {
      answers += text
    })
    for (let done = 0; done < 20; done++) {
      await turns(() => working.length > 0)
      most = Math.max(most, working.length)
      working.shift()?.end(`<${done}>`)
    }
    await turns(() => answers.includes('<19>'))
    assert.deepEqual(
      [...answers.matchAll(/<(\d+)>/g)].map(([, at]) => Number(at)),
      Array.from({ length: 20 }, (_, at) => at),
    )
    order = begun
  })
  return { most, order }
}

test('pipelined requests are worked on one by one, in their order', async () => {
  const { most, order } = await workThrough(takeTurns)
  assert.equal(most, 1)
  assert.deepEqual(
    order,
    Array.from({ length: 20 }, (_, at) => `/${at}`),
  )
  // Without it they all are in work at once.
  assert.ok((await workThrough((listener) => listener)).most > 1)
})

test('who sends more than 64 ahead is cut', async () => {
  await pipelined(200, takeTurns, async ({ socket, working }) => {
    await once(socket.resume(), 'close')
    assert.equal(working.length, 1)
  })
})
