import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { until } from '../../demo/processes.ts'
import { openVictim, rawSocket, type Victim } from './harness.ts'

/** One chunk of one byte, in chunked transfer coding. */
const oneByte = '1\r\n \r\n'
const chunksAtOnce = 4_000
const connections = 4
const holders = 200

describe('bodies that are sent a byte at a time', () => {
  let victim: Victim

  before(async () => {
    victim = await openVictim()
  })
  after(() => victim.end())

  /** Writes a head and so many one-byte chunks, and never ends the body; what was answered by then. */
  async function drip(origin: string, head: readonly string[], chunks: number): Promise<Drip> {
    const socket = await rawSocket(origin)
    let heard = ''
    socket.setEncoding('latin1').on('data', (text) => {
      heard += text
    })
    const more = ['Host: x', 'Content-Type: application/json', 'Transfer-Encoding: chunked']
    socket.write([...head, ...more, '', ''].join('\r\n'))
    for (let sent = 0; sent < chunks && socket.writable; sent += chunksAtOnce)
      if (!socket.write(oneByte.repeat(chunksAtOnce)))
        await Promise.race([once(socket, 'drain'), once(socket, 'close')]).catch(() => undefined)
    return { socket, heard: () => heard }
  }

  it(`on ${connections} connections hold neither memory nor the loop, and end after 16,384 chunks`, async () => {
    const { server, stage } = victim
    const head = [
      'POST /v1/review-cases HTTP/1.1',
      `X-API-Key: ${stage.organization.applicationKey}`,
    ]
    await victim.withstands(async () => {
      const unfinished = await dripOnAll(server.ingest, head, 16_000)
      const endless = await dripOnAll(server.ingest, head, 1_000_000)
      await until('the endless ones to be cut', 10_000, async () =>
        endless.every(({ socket }) => socket.destroyed),
      )
      for (const { socket, heard } of unfinished) {
        assert.equal(heard(), '', 'an unfinished body was answered')
        socket.destroy()
      }
    })
  })

  it('are as short as the route says where nobody is known yet', async () => {
    const { server } = victim
    const head = ['POST /v1/auth/login HTTP/1.1']
    await victim.withstands(async () => {
      const drips = await dripOnAll(server.portal, head, 20_000)
      await until('answers', 10_000, async () => drips.every(({ heard }) => heard() !== ''))
      for (const { socket, heard } of drips) {
        assert.match(heard(), /^HTTP\/1\.1 4(13|00) /)
        socket.destroy()
      }
    })
  })

  it(`of nearly 1 MiB, unfinished on ${holders} connections, hold no more than their budget and end in 20 s`, async () => {
    const { server, stage } = victim
    const nearlyWhole = Buffer.alloc(1_000_000, ' ')
    const head = [
      'POST /v1/review-cases HTTP/1.1',
      'Host: x',
      'Content-Type: application/json',
      `X-API-Key: ${stage.organization.applicationKey}`,
      'Content-Length: 1048576',
    ]
    await victim.withstands(async () => {
      const heard: string[] = Array.from({ length: holders }, () => '')
      const closed = await Promise.all(
        heard.map(async (_, at) => {
          const socket = await rawSocket(server.ingest)
          socket.setEncoding('latin1').on('data', (text) => {
            heard[at] = (heard[at] ?? '') + text
          })
          socket.write([...head, '', ''].join('\r\n'))
          socket.write(nearlyWhole)
          return once(socket, 'close')
        }),
      ).then(() => true)
      assert.equal(closed, true)
      const refused = heard.filter((text) => text.startsWith('HTTP/1.1 503 ')).length
      assert.ok(refused >= holders - 32, `${refused} of ${holders} were refused`)
    })
  })

  function dripOnAll(origin: string, head: readonly string[], chunks: number): Promise<Drip[]> {
    return Promise.all(Array.from({ length: connections }, () => drip(origin, head, chunks)))
  }
})

interface Drip {
  readonly socket: Socket
  heard(): string
}
