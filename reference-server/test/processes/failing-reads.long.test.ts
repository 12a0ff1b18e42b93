import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { createClient, must } from '../../demo/client.ts'
import { until } from '../../demo/processes.ts'
import { scratchDirectory } from './scratch.ts'
import { prepareStage, type Stage, type StagedServer } from './stage.ts'

const directory = scratchDirectory()
const source = fileURLToPath(new URL('../../../test/processes/fail-reads.c', import.meta.url))
const library = join(directory, 'fail-reads.so')
const exportsSent = 40
/** Of an export while reads fail; below the rate of the key for all of them. */
const mostTries = 5
const spansEach = 3

function whyNot(): string | false {
  if (process.platform !== 'linux') return 'LD_PRELOAD is of Linux'
  return spawnSync('cc', ['--version']).error ? 'no C compiler' : false
}

const sessionOf = (name: string, at: number) => `reads-${name}-${at}`

/** An export of one session. */
function exportOf(name: string, at: number): string {
  const start = BigInt(Date.now()) * 1_000_000n
  const traceId = Buffer.from(sessionOf(name, at)).toString('hex').padStart(32, '0').slice(-32)
  const text = (key: string, stringValue: string) => ({ key, value: { stringValue } })
  const spans = Array.from({ length: spansEach }, (_, n) => ({
    traceId,
    spanId: String(n + 1).padStart(16, '0'),
    name: 'chat',
    startTimeUnixNano: String(start),
    endTimeUnixNano: String(start + 1_000_000n),
    attributes: [text('session.id', sessionOf(name, at)), text('input.value', 'a question')],
  }))
  return JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] })
}

describe('a store of which the system fails reads', { skip: whyNot() }, () => {
  let stage: Stage
  before(async () => {
    execFileSync('cc', ['-shared', '-fPIC', '-o', library, source, '-ldl'])
    stage = await prepareStage(directory)
  })
  after(() => stage.end())

  async function send(server: StagedServer, body: string): Promise<Response> {
    const answer = await fetch(`${server.ingest}/v1/ingest/otlp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-api-key': stage.organization.customerKey.split('.').at(-1) ?? '',
      },
      body,
    })
    await answer.arrayBuffer()
    return answer
  }

  for (const percent of [8, 20])
    it(`is 503 with Retry-After and not ready while ${percent} of 100 fail, and nothing that is sent again is lost`, async (t) => {
      const control = join(directory, `fail-${percent}`)
      const server = await stage.start({
        environment: { LD_PRELOAD: library, FAIL_READS: control },
      })
      const name = String(percent)
      writeFileSync(control, name)
      const refused: Response[] = []
      const left: string[] = []
      for (let at = 0; at < exportsSent; at++) {
        const body = exportOf(name, at)
        let isTaken = false
        for (let tries = 0; tries < mostTries && !isTaken; tries++) {
          const answer = await send(server, body)
          isTaken = answer.status === 200
          if (!isTaken) refused.push(answer)
        }
        if (!isTaken) left.push(body)
        if (refused.length > 0 && at % 10 === 9 && !isTaken) {
          const ready = await fetch(`${server.staff}/readyz`)
          assert.equal(ready.status, 503, 'it says that it is ready')
          assert.doesNotMatch(await ready.text(), /restore a backup/)
        }
      }
      t.diagnostic(`${refused.length} refused, ${left.length} of ${exportsSent} not taken`)
      assert.ok(refused.length > 0)
      assert.deepEqual([...new Set(refused.map(({ status }) => status))], [503])
      assert.ok(refused.every(({ headers }) => Number(headers.get('retry-after')) > 0))
      assert.equal((await fetch(`${server.staff}/readyz`)).status, 503)

      rmSync(control)
      await until('the server to be ready again', 30_000, async () => {
        const { status } = await fetch(`${server.staff}/readyz`)
        return status === 200
      })
      for (const body of left) assert.equal((await send(server, body)).status, 200)
      const portal = createClient({ origin: server.portal, caFile: stage.setup.caFile })
      const { cookie } = await portal.ask('POST', '/v1/auth/login', {
        ...stage.organization.admin,
      })
      await portal.close()
      const member = createClient({
        origin: server.portal,
        caFile: stage.setup.caFile,
        headers: { cookie: cookie ?? '' },
      })
      for (let at = 0; at < exportsSent; at++) {
        const path = `/v1/sessions/${sessionOf(name, at)}/steps`
        assert.equal((await must(member.ask('GET', path))).totalCount, spansEach, path)
      }
      await member.close()
      server.process.kill('SIGTERM')
      assert.equal(await server.exit, 0)
    })
})
