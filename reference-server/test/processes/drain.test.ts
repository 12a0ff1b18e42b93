import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { gatherEvidence, unsettled } from '../../demo/evidence.ts'
import { until } from '../../demo/processes.ts'
import { scratchDirectory } from './scratch.ts'
import { openSink, type Sink } from './sink.ts'
import { openingOf, prepareStage, type Stage, type StagedServer } from './stage.ts'

const burst = 250

const directory = scratchDirectory()

describe('SIGTERM with requests and deliveries in flight', { skip: notHere() }, () => {
  let stage: Stage
  let sink: Sink

  before(async () => {
    stage = await prepareStage(directory)
    sink = await openSink(stage.setup)
  })
  after(async () => {
    sink.close()
    await stage.end()
  })

  /** Sends a burst at once; the answer tells which were acknowledged when all have their answer or none. */
  async function openMany(server: StagedServer, name: string): Promise<readonly string[]> {
    const ids = await Promise.all(
      Array.from({ length: burst }, async (_, at) => {
        const asked = server.application.ask('POST', '/v1/review-cases', openingOf(`${name}-${at}`))
        const answer = await asked.catch(() => null)
        if (answer && answer.status !== 200) assert.equal(answer.status, 503)
        return answer?.status === 200 ? String(answer.body.reviewCaseId) : null
      }),
    )
    return ids.filter((id) => id !== null)
  }

  async function ended(server: StagedServer): Promise<{ code: number | null; ms: number }> {
    const from = performance.now()
    return { code: await server.exit, ms: performance.now() - from }
  }

  it('ends with 0 within 12 s, and nothing that was acknowledged is lost', async () => {
    sink.slowMs = 300
    const server = await stage.start()
    const opened = openMany(server, 'drained')
    await until('deliveries in flight', 10_000, async () => sink.came.length > 3)
    const flying = sink.came.filter((id) => !sink.answered.has(id))
    assert.ok(flying.length > 0, 'nothing was in flight')
    server.process.kill('SIGTERM')
    const { code, ms } = await ended(server)
    assert.equal(code, 0)
    assert.ok(ms < 12_000, `${Math.round(ms)} ms`)
    const acknowledged = await opened
    assert.ok(acknowledged.length > 0)

    const drained = await gatherEvidence(stage.setup)
    const cases = new Set(drained.cases.map(({ reviewCaseId }) => reviewCaseId))
    assert.deepEqual(
      acknowledged.filter((id) => !cases.has(id)),
      [],
    )
    const status = new Map(drained.sent.map(({ id, status }) => [id, status]))
    for (const id of flying) assert.equal(status.get(id), 'delivered', 'it was let end')

    sink.slowMs = 0
    const again = await stage.start()
    await until('the rest to be sent', 30_000, async () => (await unsettled(stage.setup)) === 0)
    const { sent } = await gatherEvidence(stage.setup)
    assert.deepEqual(
      sent.filter(({ id, status }) => status !== 'delivered' || !sink.answered.has(id)),
      [],
    )
    again.process.kill('SIGTERM')
    assert.equal((await ended(again)).code, 0)
  })

  it('ends at once when it comes a second time', async () => {
    sink.deaf = true
    const before = sink.came.length
    const server = await stage.start()
    const opened = openMany(server, 'forced')
    await until('a delivery in flight', 10_000, async () => sink.came.length > before)
    server.process.kill('SIGTERM')
    await until('the drain to begin', 5_000, () => refuses(server))
    const ready = await fetch(`${server.staff}/readyz`)
    assert.equal(ready.status, 503)
    assert.deepEqual(await ready.json(), { ready: false, store: 'ok', draining: true })
    server.process.kill('SIGTERM')
    const { code, ms } = await ended(server)
    assert.equal(code, 1)
    assert.ok(ms < 2_000, `${Math.round(ms)} ms`)
    const acknowledged = await opened
    const { cases } = await gatherEvidence(stage.setup)
    const kept = new Set(cases.map(({ reviewCaseId }) => reviewCaseId))
    assert.deepEqual(
      acknowledged.filter((id) => !kept.has(id)),
      [],
    )
  })

  async function refuses(server: StagedServer): Promise<boolean> {
    const answer = await fetch(`${server.portal}/v1/auth/session`).catch(() => null)
    await answer?.arrayBuffer()
    return answer === null
  }
})

function notHere(): string | false {
  return process.platform === 'win32' ? 'no signals' : false
}
