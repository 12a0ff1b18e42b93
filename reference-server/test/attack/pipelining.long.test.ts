import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { pause } from '../../demo/processes.ts'
import { openVictim, rawSocket, type Victim } from './harness.ts'

describe('requests that are sent without waiting for answers', () => {
  let victim: Victim

  before(async () => {
    victim = await openVictim()
  })
  after(() => victim.end())

  const connections = 10

  for (const ahead of [60, 20_000])
    it(`${ahead} ahead on each of ${connections} connections hold neither memory nor the loop`, async () => {
      const { portal, staff } = victim.server
      const page = `GET /v1/review-cases?pageSize=100 HTTP/1.1\r\nHost: x\r\nCookie: ${victim.cookie}\r\n\r\n`
      const flood = Buffer.from(page.repeat(ahead))
      await victim.withstands(async () => {
        const opening = Array.from({ length: connections }, () => rawSocket(portal))
        const sockets = await Promise.all(opening)
        let bytes = 0
        for (const socket of sockets) {
          socket.on('data', (chunk: Buffer) => {
            bytes += chunk.length
          })
          socket.write(flood)
        }
        const answeredWithin = await timed(() => fetch(`${staff}/livez`))
        await pause(3_000)
        process.stdout.write(`# ${bytes} bytes answered, livez after ${answeredWithin} ms\n`)
        assert.ok(answeredWithin < 1_000, `livez took ${answeredWithin} ms`)
        for (const socket of sockets) socket.destroy()
      })
    })
})

async function timed(ask: () => Promise<Response>): Promise<number> {
  const from = performance.now()
  const answer = await ask()
  await answer.arrayBuffer()
  assert.equal(answer.status, 200)
  return Math.round(performance.now() - from)
}
