import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import { type AlertRuleInput, unwrap } from '@countersign/core'
import { canonicalize } from '../../base/canonical/canonicalize.ts'
import { occurred } from '../../content/activity/records.ts'
import { send, span, spanOf, traceOf } from '../sessions/world.ts'
import { judged } from './judged.ts'

const second = 1_000
/** Interface, Alert rules: windows are made of slots, in each of which ingest causes one judgement at most. */
const slot = 10 * second
/** What is left of its slot, and the time of a commit that may be under way (decision 89). */
const soon = 2 * slot

const many: AlertRuleInput = {
  ...{ name: 'many', metricName: 'sessions.count', comparator: 'gt', threshold: 1_000 },
  severity: 'info',
}

type Judged = Awaited<ReturnType<typeof judged>>

/** What brings a judgement forward, so many ms after it came in; the number is that of the call. */
interface Cause {
  readonly after: number
  readonly ingest: (world: Judged, count: number) => Promise<unknown>
}

const denied = { ruleId: 'own', effect: 'deny', reasonCategory: null, reviewTier: null } as const

const causes: Readonly<Record<string, Cause>> = {
  'a step is denied': {
    after: 0,
    async ingest(world, count) {
      const ids = { traceId: traceOf(count), spanId: spanOf(count), sessionId: 'one' }
      // Its session goes on.
      unwrap(await send(world, span({ ...ids, parentSpanId: spanOf(1_000), policyResult: denied })))
    },
  },
  'a session is quiet for a minute': {
    after: 60 * second,
    async ingest(world, count) {
      const ids = { traceId: traceOf(count), spanId: spanOf(count), sessionId: `s-${count}` }
      unwrap(await send(world, span(ids)))
    },
  },
  'a session is submitted': {
    after: 0,
    async ingest({ service, key }, count) {
      const times = { startedAt: '2026-01-01T00:00:00Z', endedAt: '2026-01-01T00:00:01Z' }
      const step = { stepId: 'a', type: 'other', name: 'think', status: 'ok', ...times } as const
      const sessionId = `s-${count}`
      const session = { sessionId, status: 'completed', steps: [step], ...times } as const
      const leaf = createHash('sha256').update(Buffer.of(0)).update(canonicalize(session), 'utf8')
      const merkleRoot = leaf.digest('hex')
      const batch = { batchId: `b-${count}`, merkleRoot, sessions: [session] }
      unwrap(await service.ingest.submit(key, batch))
    },
  },
}

/** Times of judgements while something comes in at these seconds, and when each of it took effect. */
async function judgements({ after, ingest }: Cause, seconds: readonly number[]) {
  const world = await judged()
  const { clock, create, pass, runner } = world
  await pass(3_300)
  await create(many)
  const judgedAt: number[] = []
  const causedAt: number[] = []
  const calls = new Set(seconds)
  const end = Math.max(...seconds) + (after + soon) / second
  for (let at = 0; at <= end; at++) {
    for (let run = await runner.tick(); run > 0; run--) judgedAt.push(clock.now())
    if (calls.has(at)) {
      await ingest(world, at + 1)
      causedAt.push(clock.now() + after)
    }
    await pass(second)
  }
  return { judgedAt, causedAt }
}

/** In every second of two minutes, and alone with every distance from the last judgement. */
const schedules: Readonly<Record<string, readonly number[]>> = {
  'every second': Array.from({ length: 120 }, (_, at) => at),
  'now and then': Array.from({ length: 20 }, (_, at) => at * 70 + (3 * at * (at + 1)) / 2),
}

describe('alert rules are judged within 20 s, once in 10 s at most, where', () => {
  for (const [name, cause] of Object.entries(causes))
    for (const [often, seconds] of Object.entries(schedules))
      it(`${name} ${often}`, async () => {
        const { judgedAt, causedAt } = await judgements(cause, seconds)
        const late = causedAt.filter(
          (at) => !judgedAt.some((judged) => judged >= judgedFor(at) && judged <= at + soon),
        )
        assert.deepEqual(late, [])
        const slots = new Set(judgedAt.map((at) => Math.floor(at / slot)))
        assert.equal(slots.size, judgedAt.length)
      })
})

describe('alert rules', () => {
  it('are judged every minute while another machine, whose clock is ahead, wrote of times to come', async () => {
    const { clock, create, runner, store, owner } = await judged()
    const later = { ...owner, at: clock.now() + 3_600_000, about: 'session-1' }
    const { tenantId } = owner
    const puts = [occurred({ ...later, what: 'violations', count: 1 })]
    await store.commit({ tenant: tenantId, puts })
    await create(many)
    let judgements = 0
    for (let at = 0; at < 600; at++) {
      judgements += await runner.tick()
      await clock.advance(second)
    }
    assert.equal(judgements, 10)
  })
})

/** The first time at which a judgement counts what happened at a time. */
function judgedFor(at: number): number {
  return Math.floor(at / slot) * slot + soon
}
