import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type CaseAnswer, createClient } from '@countersign/client'
import { openWorld, type World } from '@countersign/reference-server/reviewed'
import { createReviews } from '../index.ts'
import { playedClient } from './played-client.ts'

const hook = fileURLToPath(new URL('../hook/main.js', import.meta.url))

/** Tells at its end, by the descriptor 3, the ms of processor that a process has had from its start, all threads. */
const reporting = `data:text/javascript,${encodeURIComponent(`
import { writeSync } from 'node:fs'
process.on('exit', () => {
  const { user, system } = process.cpuUsage()
  writeSync(3, String((user + system) / 1_000))
})`)}`

/** A client whose requests are answered within this process: what is measured has no network in it. */
function playedHttp(whole: CaseAnswer) {
  const { client: service, cases, decide } = playedClient()
  const played: typeof fetch = async (url, init) => {
    const { pathname, searchParams } = new URL(String(url))
    const input = typeof init?.body === 'string' ? JSON.parse(init.body) : {}
    const [, , , reviewCaseId = '', act] = pathname.split('/')
    const calls = service.reviewCases
    const answer = async () => {
      if (init?.method === 'POST' && !act) {
        const opened = await calls.open({ ...input, idempotencyKey: `k${cases.size}` })
        return decide(opened.reviewCaseId, 'approved')
      }
      if (act) return calls.reportContinuation({ reviewCaseId, ...input })
      if (reviewCaseId) return calls.read({ reviewCaseId })
      return calls.find(Object.fromEntries(searchParams) as never)
    }
    return answer().then(
      (body) => Response.json({ ...whole, ...body }),
      () => Response.json({ type: 'urn:countersign:error:not_found' }, { status: 404 }),
    )
  }
  const surroundings = { fetch: played }
  return createClient({ ingestUrl: 'https://ingest.test', apiKey: 'key', surroundings })
}

describe('costs', () => {
  let world: World
  before(async () => {
    world = await openWorld()
  })
  after(() => world.end())

  it('of a guard are at most 2 ms of processor a call', async (t) => {
    const whole = await world.client.reviewCases.open({
      sessionId: 'whole',
      checkpointId: 'c',
      reasonCategory: 'other',
      presentation: {},
    })
    const reviews = createReviews(playedHttp(whole), { tools: { pay: {} }, pollMs: [1, 1] })
    const run = async (prefix: string, calls: number) => {
      const before = process.cpuUsage()
      for (let nth = 0; nth < calls; nth++) {
        const call = { sessionId: 's', callId: `${prefix}${nth}`, name: 'pay', input: { nth } }
        assert.equal(await reviews.run(call, () => 'ran'), 'ran')
      }
      const { user, system } = process.cpuUsage(before)
      return (user + system) / 1_000 / calls
    }
    await run('warm', 100)
    // The least: what others do here at the same time is no cost of a guard.
    let least = await run('round-0-', 100)
    for (let round = 1; round < 9 && (round < 3 || least > 2); round++)
      least = Math.min(least, await run(`round-${round}-`, 100))
    t.diagnostic(`guard: ${least.toFixed(2)} ms of processor a call`)
    assert.ok(least <= 2, `${least} ms`)
  })

  it('of the hook are at most 0.7 s of processor a call', async (t) => {
    const { ingestUrl, apiKey } = world.told
    const call = async () => {
      const began = performance.now()
      const child = spawn(process.execPath, ['--import', reporting, hook], {
        env: { COUNTERSIGN_INGEST_URL: ingestUrl, SERVICE_API_KEY: apiKey },
        stdio: ['pipe', 'ignore', 'inherit', 'pipe'],
      })
      const input = { session_id: 'cost', tool_use_id: 't', tool_name: 'Bash', tool_input: {} }
      child.stdin?.end(JSON.stringify(input))
      const ended = once(child, 'exit')
      const spent = Number(await text(child.stdio[3] as Readable))
      const [code] = await ended
      assert.equal(code, 0)
      assert.ok(spent > 0, `${spent}`)
      return { spent, took: performance.now() - began }
    }
    const calls = [await call(), await call(), await call()]
    const spent = Math.min(...calls.map((each) => each.spent))
    const took = Math.min(...calls.map((each) => each.took))
    t.diagnostic(`hook: ${spent.toFixed(0)} ms of processor, ${took.toFixed(0)} ms a call`)
    assert.ok(spent <= 700, `${spent} ms of processor`)
    // Others may be busy here: only what no load explains is too long.
    assert.ok(took <= 10_000, `${took} ms`)
  })
})
