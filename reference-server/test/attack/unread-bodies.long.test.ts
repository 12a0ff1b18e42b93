import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { pause } from '../../demo/processes.ts'
import { openVictim, rawSocket, type Victim } from './harness.ts'

/** A thousand chunks of one byte, in chunked transfer coding. */
const drip = '1\r\n \r\n'.repeat(1_000)
const connections = 20
const attackMs = 2_000

describe('bodies that nobody reads', () => {
  let victim: Victim

  before(async () => {
    victim = await openVictim()
  })
  after(() => victim.end())

  /** Connects again and again, and sends one-byte chunks for as long as each connection takes them; how many it were. */
  async function pour(origin: string, line: string, until: number): Promise<number> {
    let connected = 0
    for (; performance.now() < until; connected++) {
      const socket = await rawSocket(origin)
      socket.resume()
      socket.write(`${line} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`)
      for (; !socket.destroyed && performance.now() < until; await pause(1))
        if (!socket.writableNeedDrain) socket.write(drip)
      socket.destroy()
    }
    return connected
  }

  for (const [what, line, hostOf] of [
    ['404 of the portal', 'POST /nowhere', ({ server }: Victim) => server.portal],
    ['401 of ingest', 'POST /v1/review-cases', ({ server }: Victim) => server.ingest],
    ['405 of staff', 'POST /livez', ({ server }: Victim) => server.staff],
  ] as const)
    it(`after a ${what} hold neither memory nor the loop on ${connections} connections`, async () => {
      await victim.withstands(async () => {
        const until = performance.now() + attackMs
        const pouring = Array.from({ length: connections }, () => pour(hostOf(victim), line, until))
        const health = await fetch(`${victim.server.staff}/readyz`)
        assert.equal(health.status, 200)
        const connected = (await Promise.all(pouring)).reduce((sum, each) => sum + each, 0)
        process.stdout.write(`# ${connected} connections were closed\n`)
        assert.ok(connected > connections, `${connected} connections`)
      })
    })
})
