import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { type Client, must } from '../../demo/client.ts'
import { pause } from '../../demo/processes.ts'
import { openingOf } from '../processes/stage.ts'
import { logIn, openVictim, rawSocket, type Victim } from './harness.ts'

const mebibyte = 1024 * 1024
/** Nearly all that a case may hold. */
const presentation = { action: 'payment', text: 'x'.repeat(900 * 1024) }
const cases = 50
const readers = 200
const stallMs = 32_000
/** For an organization whose neighbour reads nothing; some 50 ms on a quiet machine. */
const mostWaitMs = 5_000

describe('lists of large cases', () => {
  let victim: Victim
  let largest = ''
  /** Of another organization. */
  let another: Client

  before(async () => {
    victim = await openVictim()
    another = (await logIn(victim.stage, victim.server, victim.stage.stranger)).client
    for (let at = 0; at < cases; at++) {
      const opening = { ...openingOf(`large-${at}`), presentation }
      const opened = await must(victim.server.application.ask('POST', '/v1/review-cases', opening))
      largest = String(opened.reviewCaseId)
    }
  })
  after(async () => {
    await another.close()
    await victim.end()
  })

  async function askedFor(path: string): Promise<Socket> {
    const socket = await rawSocket(victim.server.portal)
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: x\r\nCookie: ${victim.cookie}\r\nConnection: close\r\n\r\n`,
    )
    return socket
  }

  /** The answer's bytes, headers included, when it is whole. */
  async function readToEnd(path: string): Promise<number> {
    const headers = { cookie: victim.cookie }
    const response = await fetch(`${victim.server.portal}${path}`, { headers })
    assert.equal(response.status, 200)
    let bytes = 0
    for await (const chunk of response.body ?? []) bytes += chunk.length
    return bytes
  }

  /** Asks until it is told to stop; every answer must be 200. */
  function watchLiveness(): () => Promise<number> {
    let watching = true
    let asked = 0
    async function watch(): Promise<void> {
      for (; watching; await pause(50)) {
        const answer = await fetch(`${victim.server.staff}/livez`)
        assert.equal(answer.status, 200, await answer.text())
        asked++
      }
    }
    const watched = watch()
    return async () => {
      watching = false
      await watched
      return asked
    }
  }

  const page = '/v1/review-cases?pageSize=50'
  const whole = `${page}&include=presentation`

  it('rows of the case list have no presentation unless it is asked for', async () => {
    assert.ok((await readToEnd(page)) < mebibyte)
    assert.ok((await readToEnd(whole)) > cases * 900 * 1024)
  })

  it('twenty pages at once leave the server alive', async () => {
    await victim.withstands(async () => {
      const stop = watchLiveness()
      await Promise.all(Array.from({ length: 10 }, () => readToEnd(page)))
      const sizes = await Promise.all(Array.from({ length: 10 }, () => readToEnd(whole)))
      for (const size of sizes) assert.ok(size > cases * 900 * 1024)
      assert.ok((await stop()) > 2)
    })
  })

  for (const [what, pathOf] of [
    ['a whole list', () => whole],
    ['a large case', () => `/v1/review-cases/${largest}`],
  ] as const)
    it(`${readers} readers of ${what} who read nothing leave room for others`, async () => {
      await victim.withstands(async () => {
        const asking = Array.from({ length: readers }, () => askedFor(pathOf()))
        const sockets = await Promise.all(asking)
        const stop = watchLiveness()
        await pause(3_000)
        const from = performance.now()
        const empty = await must(another.ask('GET', page))
        const waited = Math.round(performance.now() - from)
        process.stdout.write(`# another organization waited ${waited} ms\n`)
        assert.equal(empty.totalCount, 0)
        assert.ok(waited <= mostWaitMs, `another organization waited ${waited} ms`)
        assert.ok((await readToEnd(`/v1/review-cases/${largest}`)) > 900 * 1024)
        await pause(5_000)
        await stop()
        for (const socket of sockets) socket.destroy()
      })
    })

  it('one reader who takes nothing for 30 s is cut', async () => {
    const socket = await askedFor(whole)
    await pause(stallMs)
    let bytes = 0
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length
    })
    await once(socket, 'close')
    assert.ok(bytes < cases * 900 * 1024, `${bytes} bytes came`)
  })
})
