import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { faultOfSent } from '@countersign/core/events'
import { silentObserver } from '@countersign/core/ports'
import fc from 'fast-check'
import { applications } from '../../applications/records.ts'
import type { QualityFacts, Scorer } from '../../base/ports/scorer.ts'
import { type StoredSession, sessions } from '../../content/records.ts'
import { commit } from '../../kernel/ledger/ledger.ts'
import { get, one, put } from '../../kernel/ledger/reads.ts'
import { createRunner } from '../../kernel/work/runner.ts'
import { sessionFlags } from '../../policies/flags/records.ts'
import { defaultScorer } from '../../policies/scores/default-scorer.ts'
import { createGovernance, judgeThreshold } from '../../policies/scores/governance.ts'
import {
  governanceParts,
  governanceRead,
  qualityParts,
  qualityRead,
} from '../../policies/scores/quality.ts'
import { withDeliveries } from '../../review/execution/change-set.ts'
import { newSession } from '../../sessions/session-state.ts'
import { value } from '../organizations/access/fixture.ts'
import { owingOn } from '../owing.ts'
import { people, peopleRows } from './people.ts'
import { createWorld, place } from './world.ts'

const facts: fc.Arbitrary<QualityFacts> = fc
  .record({
    steps: fc.nat(9),
    errors: fc.nat(9),
    failed: fc.boolean(),
    guardrails: fc.nat(5),
    guardrailsOk: fc.nat(5),
    meanScore: fc.option(fc.constantFrom(0, 0.25, 0.5, 1)),
  })
  .filter((one) => one.errors <= one.steps && one.guardrailsOk <= one.guardrails)

/** The words of the interface in whole numbers: tenths of a point by a common denominator. */
function expected(one: QualityFacts): number {
  const parts = [
    one.steps > 0 ? [50, one.steps - one.errors, one.steps] : null,
    [20, one.failed ? 0 : 1, 1],
    one.guardrails > 0 ? [20, one.guardrailsOk, one.guardrails] : null,
    one.meanScore !== null ? [10, one.meanScore * 4, 4] : null,
  ].flatMap((part) => (part ? [part as [number, number, number]] : []))
  const weights = parts.reduce((sum, [weight]) => sum + weight, 0)
  // 2520 is a multiple of every whole number to 10.
  const sum = parts.reduce((all, [weight, part, whole]) => all + (weight * part * 2520) / whole, 0)
  return Math.round((1000 * sum) / (2520 * weights)) / 10
}

function agrees(scorer: Scorer): void {
  fc.assert(
    fc.property(facts, (one) => {
      const made = scorer.quality(one)
      assert.ok(made && Math.abs(made.score - expected(one)) < 0.11, `${made?.score}`)
      assert.ok(made.score >= 0 && made.score <= 100)
    }),
    { numRuns: 500 },
  )
}

describe('the scorer default-1', () => {
  it('gives the weighted mean of what is there', () => agrees(defaultScorer))

  it('is told from scorers that weigh differently', () => {
    const { quality } = defaultScorer
    const mutants: Readonly<Record<string, (one: QualityFacts) => ReturnType<Scorer['quality']>>> =
      {
        'absent parts count as nothing': (one) => {
          const made = quality(one)
          return made && one.meanScore === null ? { ...made, score: made.score * 0.9 } : made
        },
        'failures do not count': (one) => quality({ ...one, failed: false }),
        'guardrails are left out': (one) => quality({ ...one, guardrails: 0, guardrailsOk: 0 }),
      }
    for (const [name, mutant] of Object.entries(mutants))
      assert.throws(() => agrees({ ...defaultScorer, quality: mutant }), name)
  })
})

async function withThresholds() {
  const world = await createWorld()
  const [found] = await world.store.read(null, [
    get(applications, [place.tenantId, place.applicationId]),
  ])
  const was = one(applications, found)
  assert.ok(was)
  const settings = { governanceThreshold: 80, qualityThreshold: 60 }
  await world.store.commit({
    tenant: null,
    puts: [...peopleRows(), put(applications, { ...was.row, settings }, was)],
  })
  const runner = createRunner({
    ledger: world.ledger,
    clock: world.clock,
    handlers: [createGovernance(defaultScorer)],
    owing: owingOn(world.ledger),
    observer: silentObserver,
    options: { owner: 'runner' },
  })

  /** Completes a session, as ingest does. */
  async function complete(sessionId: string, tally: Partial<StoredSession['tally']> = {}) {
    const key = { ...place, sessionId }
    const now = world.clock.now()
    const begun = newSession(key, { origin: 'otlp', startedAt: now, now })
    const row: StoredSession = {
      ...begun,
      tally: { ...begun.tally, steps: 1, ...tally },
      rootFailed: (tally.errors ?? 0) > 0,
      completedAt: now,
      status: (tally.errors ?? 0) > 0 ? 'failed' : 'completed',
    }
    const done = await world.ledger.execute<number>(place.tenantId, async (unit) => {
      const scene = await world.sceneOf(unit)
      const found = await unit.read([qualityRead(key), governanceRead(place.applicationId)])
      const parts = qualityParts(defaultScorer, scene, row, found[0])
      const { quality, flags, ...rest } = parts
      const after = { ...row, quality, openFlags: flags }
      const governance = governanceParts(unit, place, found[1])
      const puts = [put(sessions, after, null), ...rest.puts, ...governance]
      const set = { ...rest, puts, checks: [], appends: [] }
      return commit(withDeliveries(world.host, scene, place.tenantId, set), quality ?? 0)
    })
    return value(done)
  }
  const count = (type: string) => world.events().filter((event) => event.type === type).length
  return { ...world, runner, complete, count, scores: world.service.scores }
}

describe('the quality of a session', () => {
  it('is computed once, with an event, and flagged under the threshold', async () => {
    const { complete, count, rows, events } = await withThresholds()
    assert.equal(await complete('good'), 1000)
    assert.equal(await complete('bad', { steps: 4, errors: 3 }), 179)
    assert.equal(count('quality.score_computed'), 2)
    for (const event of events()) assert.equal(faultOfSent({ ...event }), null)
    assert.deepEqual(
      rows(sessionFlags).map(({ row }) => [row.sessionId, row.flag, row.source]),
      [['bad', 'quality', 'score']],
    )
  })
})

describe('the governance of an application', () => {
  it('is computed after completions, and a breach is told once', async () => {
    const { complete, clock, runner, scores, count } = await withThresholds()
    const read = async () =>
      value(await scores.read(people.auditor, { applicationId: place.applicationId }))
    assert.deepEqual(await read(), {
      scorer: 'default-1',
      governance: null,
      components: {},
      qualityMean: null,
      sessions: 0,
      computedAt: null,
    })
    for (let at = 0; at < 10; at++) await complete(`s-${at}`)
    await clock.advance(60_000)
    await runner.tick()
    const before = await read()
    assert.deepEqual([before.governance, before.sessions, before.qualityMean], [100, 10, 100])

    for (let at = 0; at < 10; at++) await complete(`d-${at}`, { deny: 1 })
    await clock.advance(60_000)
    await runner.tick()
    const after = await read()
    assert.deepEqual([after.governance, after.components.sessionsWithoutDenial], [60, 50])
    assert.equal(count('governance.threshold_breached'), 1)
    await complete('one more', { deny: 1 })
    await clock.advance(60_000)
    await runner.tick()
    assert.equal(count('governance.threshold_breached'), 1)
  })

  it('looks at seven days, every hour', async () => {
    const { complete, clock, runner, scores } = await withThresholds()
    await complete('old')
    clock.jump(8 * 86_400_000)
    await runner.tick()
    const read = value(await scores.read(people.admin, { applicationId: place.applicationId }))
    assert.deepEqual([read.governance, read.sessions], [null, 0])
  })

  it('breaches only from at or above to below, with 10 sessions, once until 2 above', () => {
    const moves = fc.array(
      fc.tuple(fc.integer({ min: 75, max: 85 }), fc.integer({ min: 9, max: 11 })),
      {
        maxLength: 30,
      },
    )
    const holds = (judge: typeof judgeThreshold, drawn: object = {}) =>
      fc.assert(
        fc.property(moves, (list) => {
          let before: number | null = null
          let ready = true
          let silent = false
          for (const [score, count] of list) {
            const { armed, breach }: ReturnType<typeof judgeThreshold> = judge(
              { governance: before, armed: ready },
              score,
              80,
              count,
            )
            const fell: boolean = before !== null && before >= 80 && score < 80 && count >= 10
            if (score >= 82) silent = false
            assert.equal(breach !== null, fell && !silent)
            if (breach) silent = true
            before = score
            ready = armed
          }
        }),
        { numRuns: 300, ...drawn },
      )
    holds(judgeThreshold)
    const mutants: readonly (typeof judgeThreshold)[] = [
      (was, ...rest) => judgeThreshold(was && { ...was, armed: true }, ...rest),
      (was, score, threshold) => judgeThreshold(was, score, threshold, 10),
      (was, score, threshold, count) =>
        judgeThreshold(was, score, threshold && threshold + 1, count),
    ]
    // Drawn alike in every run: whether chance finds a mutant is no news.
    for (const mutant of mutants) assert.throws(() => holds(mutant, { seed: 1 }))
  })
})
