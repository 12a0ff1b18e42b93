import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, describe, it } from 'node:test'
import { type Client, must } from '../../demo/client.ts'
import { pause } from '../../demo/processes.ts'
import { openingOf } from '../processes/stage.ts'
import { logIn, openVictim, type Victim } from './harness.ts'
import { type Readers, readersOf, withstandsIdleReaders } from './readers.ts'

const { COUNTERSIGN_PROVE: prove, FC_SEED: seed = '0' } = process.env
const mebibyte = 1024 * 1024
/** Nearly all that a case may hold. */
const presentation = { action: 'payment', text: 'x'.repeat(900 * 1024) }
const cases = 50
const readers = 200
const stallMs = 32_000

describe('lists of large cases', () => {
  let victim: Victim
  let reading: Readers
  let largest = ''
  /** Of another organization. */
  let another: Client

  before(async () => {
    victim = await openVictim()
    reading = readersOf(victim)
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

  const page = '/v1/review-cases?pageSize=50'
  const whole = `${page}&include=presentation`

  it('rows of the case list have no presentation unless it is asked for', async () => {
    assert.ok((await reading.readToEnd(page)) < mebibyte)
    assert.ok((await reading.readToEnd(whole)) > cases * 900 * 1024)
  })

  it('twenty pages at once leave the server alive', async () => {
    await victim.withstands(async () => {
      const stop = reading.watchLiveness()
      await Promise.all(Array.from({ length: 10 }, () => reading.readToEnd(page)))
      const sizes = await Promise.all(Array.from({ length: 10 }, () => reading.readToEnd(whole)))
      for (const size of sizes) assert.ok(size > cases * 900 * 1024)
      assert.ok((await stop()) > 2)
    })
  })

  const unread = [
    ['a whole list', () => whole],
    ['a large case', () => `/v1/review-cases/${largest}`],
  ] as const
  // Both in a proof, and else one by the seed.
  for (const [what, pathOf] of unread.filter((_, at) => prove || (at + Number(seed)) % 2 === 0))
    it(`${readers} readers of ${what} who read nothing leave room for others`, async () => {
      const meanwhile = async () => {
        const path = `/v1/review-cases/${largest}`
        assert.ok((await reading.readToEnd(path)) > 900 * 1024)
      }
      await withstandsIdleReaders(victim, { readers, path: pathOf(), another, page, meanwhile })
    })

  it('one reader who takes nothing for 30 s is cut', async () => {
    const socket = await reading.askedFor(whole)
    await pause(stallMs)
    let bytes = 0
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length
    })
    await once(socket, 'close')
    assert.ok(bytes < cases * 900 * 1024, `${bytes} bytes came`)
  })
})
