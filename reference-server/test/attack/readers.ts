import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { type Client, must } from '../../demo/client.ts'
import { pause } from '../../demo/processes.ts'
import { rawSocket, type Victim } from './harness.ts'

/** For an organization whose neighbour reads nothing; some 50 ms on a quiet machine. */
const mostWaitMs = 5_000

/** Callers of the portal with the session of the victim's admin. */
export interface Readers {
  /** A connection that has asked for a path, and reads nothing by itself. */
  askedFor(path: string): Promise<Socket>
  /** The bytes of an answer's body when it is whole. */
  readToEnd(path: string): Promise<number>
  /** Asks for `livez` until it is told to stop, which answers how often; every answer must be 200. */
  watchLiveness(): () => Promise<number>
}

export function readersOf({ server, cookie }: Victim): Readers {
  return {
    async askedFor(path) {
      const socket = await rawSocket(server.portal)
      socket.write(
        `GET ${path} HTTP/1.1\r\nHost: x\r\nCookie: ${cookie}\r\nConnection: close\r\n\r\n`,
      )
      return socket
    },

    async readToEnd(path) {
      const response = await fetch(`${server.portal}${path}`, { headers: { cookie } })
      assert.equal(response.status, 200)
      let bytes = 0
      for await (const chunk of response.body ?? []) bytes += chunk.length
      return bytes
    },

    watchLiveness() {
      let watching = true
      let asked = 0
      async function watch(): Promise<void> {
        for (; watching; await pause(50)) {
          const answer = await fetch(`${server.staff}/livez`)
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
    },
  }
}

/** Many ask for a path and read nothing: another organization is answered meanwhile, and the server keeps its bounds. */
export async function withstandsIdleReaders(
  victim: Victim,
  attack: {
    readonly readers: number
    readonly path: string
    readonly another: Client
    /** An empty list of that organization. */
    readonly page: string
    /** Done while they wait. */
    readonly meanwhile?: () => Promise<void>
  },
): Promise<void> {
  const { askedFor, watchLiveness } = readersOf(victim)
  await victim.withstands(async () => {
    const asking = Array.from({ length: attack.readers }, () => askedFor(attack.path))
    const sockets = await Promise.all(asking)
    const stop = watchLiveness()
    await pause(3_000)
    const from = performance.now()
    const empty = await must(attack.another.ask('GET', attack.page))
    const waited = Math.round(performance.now() - from)
    process.stdout.write(`# another organization waited ${waited} ms\n`)
    assert.equal(empty.totalCount, 0)
    assert.ok(waited <= mostWaitMs, `another organization waited ${waited} ms`)
    await attack.meanwhile?.()
    await pause(5_000)
    await stop()
    for (const socket of sockets) socket.destroy()
  })
}
