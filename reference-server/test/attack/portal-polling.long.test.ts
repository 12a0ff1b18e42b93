import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { Agent, request } from 'undici'
import { openingOf } from '../processes/stage.ts'
import { bounds, openVictim, slowness, type Victim } from './harness.ts'

const openCases = 10_000
const browsers = 50
/** Each browser asks for these each 5 s. */
const polled = ['/v1/portal/summary', '/v1/portal/review-queue?limit=50']
const roundsPerMinute = 12
const mostGrowth = 64 * 1024 * 1024
/** A tenth of a core. */
const mostMsPerMinute = 6_000

/** What a minute of polling came to. */
interface Minute {
  readonly statuses: Readonly<Record<number, number>>
  readonly bodyBytes: number
  /** Processor time of the whole process, ms. */
  readonly usedMs: number
}

describe(`${browsers} browsers that poll the portal, ${openCases} open cases`, () => {
  let victim: Victim
  const agent = new Agent({ connections: browsers })
  /** The tags that each browser holds, by address. */
  const tags = Array.from({ length: browsers }, () => new Map<string, string>())

  before(async () => {
    victim = await openVictim()
    await openMany(openCases)
  })
  after(async () => {
    await agent.close()
    await victim?.end()
  })

  let opened = 0
  async function openMany(count: number): Promise<void> {
    const end = opened + count
    const work = async () => {
      while (opened < end) {
        const answer = await victim.server.application.ask(
          'POST',
          '/v1/review-cases',
          openingOf(`polled-${opened++}`),
        )
        assert.equal(answer.status, 200, JSON.stringify(answer.body))
      }
    }
    await Promise.all(Array.from({ length: 16 }, work))
  }

  /** One request of a browser, with what it holds. */
  async function poll(held: Map<string, string>, path: string): Promise<[number, number]> {
    const tag = held.get(path)
    const answer = await request(victim.server.portal + path, {
      dispatcher: agent,
      headers: { cookie: victim.cookie, ...(tag && { 'if-none-match': tag }) },
    })
    const { etag } = answer.headers
    if (typeof etag === 'string') held.set(path, etag)
    return [answer.statusCode, (await answer.body.bytes()).length]
  }

  /** The requests of a minute, one round after the other without the pauses; `change` runs before each. */
  async function minute(change: () => Promise<void>): Promise<Minute> {
    const statuses: Record<number, number> = {}
    let bodyBytes = 0
    const before = processorMs(victim.server.process.pid)
    for (let round = 0; round < roundsPerMinute; round++) {
      await change()
      const answers = tags.flatMap((held) => polled.map((path) => poll(held, path)))
      for (const [status, bytes] of await Promise.all(answers)) {
        statuses[status] = (statuses[status] ?? 0) + 1
        bodyBytes += bytes
      }
    }
    return { statuses, bodyBytes, usedMs: processorMs(victim.server.process.pid) - before }
  }

  async function measured(change: () => Promise<void>): Promise<Minute> {
    let found: Minute | null = null
    const attack = async () => {
      found = await minute(change)
    }
    await victim.withstands(attack, { rssGrowth: mostGrowth, lagMs: bounds.lagMs })
    assert.ok(found)
    const { statuses, bodyBytes, usedMs } = found as Minute
    process.stdout.write(
      `# a minute: ${JSON.stringify(statuses)}, ${bodyBytes} bytes of bodies, ${Math.round(usedMs)} ms of processor\n`,
    )
    const most = mostMsPerMinute * slowness()
    assert.ok(
      usedMs <= most,
      `expected at most ${Math.round(most)} ms, got ${Math.round(usedMs)} ms`,
    )
    return found
  }

  it('get no body while nothing changes, and take no more memory', async () => {
    await minute(async () => {})
    const { statuses, bodyBytes } = await measured(async () => {})
    // The tag of a summary is of its minute, in which it may change once or twice.
    const whole = statuses[200] ?? 0
    assert.deepEqual(
      Object.keys(statuses).filter((status) => !['200', '304'].includes(status)),
      [],
    )
    assert.ok(whole <= 2 * browsers, `expected 304s, got ${JSON.stringify(statuses)}`)
    assert.ok(bodyBytes <= 2 * browsers * 1_024, `expected no bodies, got ${bodyBytes} bytes`)
  })

  it('take no more memory while a case is opened each 5 s', async () => {
    await measured(() => openMany(1))
  })
})

/** Processor time of a process since it began, all its threads, in ms (proc(5), stat: ticks of 10 ms). */
function processorMs(pid: number | undefined): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}
