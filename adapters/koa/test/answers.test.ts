import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { describe, it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createManualClock, type ManualClock, seededRandom } from '@countersign/core/testing'
import Router from '@koa/router'
import { createAnswers, createApp } from '../index.ts'

const mebibyte = 1024 * 1024

function workshop(mostBytes = 4 * mebibyte) {
  const clock = createManualClock(0)
  const told: unknown[] = []
  const observer = {
    event: (name: string, fields: Readonly<Record<string, unknown>>) => {
      told.push([name, fields.reason])
    },
  }
  return { clock, told, observer, answers: createAnswers({ clock, observer, mostBytes }) }
}

describe('room for answers', () => {
  it('is waited for while those that hold it move, and is made of those that stall', async () => {
    const { answers, clock, told } = workshop()
    const cuts: string[] = []
    const slow = answers.hold(() => cuts.push('slow'))
    const brisk = answers.hold(() => cuts.push('brisk'))
    slow.holds(2 * mebibyte)
    brisk.holds(2 * mebibyte)
    let entered = false
    const turn = answers.turn('call').then((end) => {
      entered = true
      end?.()
    })
    await clock.advance(900)
    assert.deepEqual([entered, cuts], [false, []])
    brisk.progressed()
    await clock.advance(200)
    await turn
    assert.deepEqual([entered, cuts], [true, ['slow']])
    assert.deepEqual(told, [['http.answer_cut', 'no_room']])
    // What was cut is forgotten, whatever is said of it later.
    slow.end()
    brisk.end()
    ;(await answers.turn('call'))?.()
    assert.equal(clock.waiting(), 0)
  })

  it('is never kept from an owner who holds nothing, though others fill it', async () => {
    const { answers } = workshop()
    for (const owner of ['ten_1', 'ten_2', 'ten_3', 'ten_4'])
      answers.hold(() => {}, owner).holds(mebibyte)
    const end = await answers.turn('call', 'ten_5')
    assert.ok(end)
    end()
  })

  it("of one owner ends at a quarter, which waits for nobody's answers but its own", async () => {
    const { answers, clock } = workshop()
    const cuts: string[] = []
    const greedy = answers.hold(() => cuts.push('greedy'), 'ten_1')
    const modest = answers.hold(() => cuts.push('modest'), 'ten_2')
    modest.holds(mebibyte / 2)
    greedy.holds(mebibyte)
    let entered = 0
    const enter = async (owner: string) => {
      const end = await answers.turn('piece', owner)
      entered++
      end()
    }
    const waits = enter('ten_1')
    await clock.advance(500)
    await enter('ten_2')
    assert.equal(entered, 1)
    await clock.advance(600)
    await waits
    assert.deepEqual([entered, cuts], [2, ['greedy']])
  })

  it('is given to eight calls at a time, and to one piece of a list, in their order', async () => {
    const { answers } = workshop()
    const ends = await Promise.all(Array.from({ length: 8 }, () => answers.turn('call')))
    const order: number[] = []
    const waiting = [9, 10].map((at) =>
      answers.turn('call').then((end) => {
        order.push(at)
        end?.()
      }),
    )
    await nextTurn()
    assert.deepEqual(order, [])
    // Pieces have a turn of their own.
    ;(await answers.turn('piece'))()
    // A turn that is ended twice gives room once.
    ends[0]?.()
    ends[0]?.()
    await Promise.all(waiting)
    assert.deepEqual(order, [9, 10])
  })

  it('is given to owners in turns, however many of one wait', async () => {
    const { answers } = workshop()
    const first = await answers.turn('piece', 'ten_1')
    const order: string[] = []
    const waiting = ['ten_1', 'ten_1', 'ten_1', 'ten_2', 'ten_3', 'ten_2'].map(async (owner) => {
      const end = await answers.turn('piece', owner)
      order.push(owner)
      end()
    })
    first()
    await Promise.all(waiting)
    assert.deepEqual(order, ['ten_1', 'ten_2', 'ten_3', 'ten_1', 'ten_2', 'ten_1'])
  })

  it('is given to the next piece when the loop was left to others for as long as the last one took', async () => {
    const { answers, clock } = workshop()
    const first = await answers.turn('piece', 'ten_1')
    let entered = false
    const next = answers.turn('piece', 'ten_1').then((end) => {
      entered = true
      end()
    })
    await clock.advance(40)
    first()
    await clock.advance(39)
    assert.equal(entered, false)
    await clock.advance(1)
    await next
  })

  it('is waited for at most ten seconds by a call, and by a list that is being written for ever', async () => {
    const { answers, clock } = workshop()
    const cuts: string[] = []
    const brisk = answers.hold(() => cuts.push('brisk'), 'ten_1')
    brisk.holds(mebibyte)
    const ends: unknown[] = []
    for (const of of ['call', 'change'] as const)
      void answers.turn(of, 'ten_1').then((end) => ends.push([of, end]))
    const piece = answers.turn('piece', 'ten_1')
    for (let passed = 0; passed < 9_900; passed += 900) {
      brisk.progressed()
      await clock.advance(900)
    }
    brisk.progressed()
    assert.deepEqual(ends, [])
    await clock.advance(200)
    assert.deepEqual(ends, [
      ['call', null],
      ['change', null],
    ])
    brisk.end()
    ;(await piece)()
    assert.deepEqual([cuts, clock.waiting()], [[], 0])
  })

  it('that changes filled at once is made by cutting the longest stalled of the owner', async () => {
    const { answers } = workshop()
    const cuts: number[] = []
    const modest = answers.hold(() => cuts.push(0), 'ten_2')
    modest.holds(mebibyte / 2)
    for (const at of [1, 2, 3, 4, 5, 6]) answers.hold(() => cuts.push(at), 'ten_1').holds(mebibyte)
    assert.deepEqual(cuts, [1, 2])
    assert.equal(modest.ended, false)
  })
})

const large = { text: 'x'.repeat(16 * mebibyte) }

async function served(
  run: (at: {
    readonly port: number
    readonly clock: ManualClock
    readonly told: readonly unknown[]
  }) => Promise<void>,
): Promise<void> {
  const { answers, clock, told, observer } = workshop(64 * mebibyte)
  const router = new Router()
  router.get('/large', (ctx) => {
    ctx.body = large
  })
  const app = createApp(router, { random: seededRandom(1), observer, answers })
  const answer = app.callback()
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    await run({ port: (server.address() as AddressInfo).port, clock, told })
  } finally {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
}

/** Asks, and reads nothing until it is told to. */
async function asked(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write('GET /large HTTP/1.1\r\nHost: x\r\n\r\n')
  return socket
}

async function turns(until: () => boolean): Promise<void> {
  while (!until()) await nextTurn()
}

describe('a large answer', () => {
  it('comes whole and with its length', async () => {
    await served(async ({ port, clock }) => {
      const response = await fetch(`http://127.0.0.1:${port}/large`)
      const text = JSON.stringify(large)
      assert.equal(response.headers.get('content-length'), String(text.length))
      assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8')
      assert.equal((await response.text()) === text, true)
      await turns(() => clock.waiting() === 0)
      assert.equal(clock.waiting(), 0)
    })
  })

  it('is cut when its receiver takes nothing for 30 s, and not before', async () => {
    await served(async ({ port, clock, told }) => {
      const socket = await asked(port)
      // Its timer waits, beginning anew with each slice, until the socket is full.
      await turns(() => clock.waiting() > 0)
      for (let turn = 0; turn < 20_000; turn++) await nextTurn()
      await clock.advance(29_999)
      assert.deepEqual(told, [])
      await clock.advance(1)
      await turns(() => told.length > 0)
      assert.deepEqual(told, [['http.answer_cut', 'stalled']])
      let bytes = 0
      socket.on('data', (chunk: Buffer) => {
        bytes += chunk.length
      })
      await once(socket, 'close')
      assert.ok(bytes < 16 * mebibyte, 'it was whole')
    })
  })
})

describe('an answer whose client has left', () => {
  it('is not watched: nothing waits once it has ended', async () => {
    const { answers, clock, told, observer } = workshop()
    const router = new Router()
    let ended: () => void = () => {}
    const answered = new Promise<void>((resolve) => {
      ended = resolve
    })
    router.get('/slow', async (ctx) => {
      ctx.req.socket.destroy()
      await once(ctx.res, 'close')
      ctx.body = { late: true }
      ctx.res.once('prefinish', () => setImmediate(ended))
    })
    const app = createApp(router, { random: seededRandom(1), observer, answers })
    const server = createServer(app.callback()).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    socket.on('error', () => {})
    socket.write('GET /slow HTTP/1.1\r\nHost: x\r\n\r\n')
    await answered
    assert.equal(clock.waiting(), 0)
    await clock.advance(60_000)
    assert.deepEqual(told, [])
    socket.destroy()
    server.close()
  })
})
