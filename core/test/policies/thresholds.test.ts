import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { unwrap } from '@countersign/core'
import { createLedger } from '@countersign/core/ledger'
import { silentObserver } from '@countersign/core/ports'
import { seededRandom } from '@countersign/core/testing'
import { createRunner } from '../../kernel/work/runner.ts'
import { defaultScorer } from '../../policies/scores/default-scorer.ts'
import { armedFor, createGovernance } from '../../policies/scores/governance.ts'
import type { ApplicationScore } from '../../policies/scores/records.ts'
import { owingOn } from '../owing.ts'
import { createWorld, send, span, spanOf, traceOf } from '../sessions/world.ts'

const minute = 60_000

/** Ingest beside what computes governance. */
async function scored() {
  const world = await createWorld()
  const { service, store, clock, admin, owner } = world
  const ledger = createLedger({ store, clock, random: seededRandom(9) })
  const runner = createRunner({
    ledger,
    clock,
    handlers: [createGovernance(defaultScorer)],
    owing: owingOn(ledger),
    observer: silentObserver,
    options: { owner: 'governance' },
  })
  let sent = 0
  return {
    ...world,
    set: (settings: Parameters<typeof service.applications.update>[1]['settings']) =>
      service.applications.update(admin, {
        applicationId: owner.applicationId,
        settings: settings ?? null,
      }),
    /** So many sessions complete, and the application's governance is computed. */
    async complete(count: number, given: Parameters<typeof span>[0] = {}) {
      for (let at = 0; at < count; at++) {
        sent++
        const sessionId = `s-${sent}`
        const now = clock.now()
        const ids = { traceId: traceOf(sent), spanId: spanOf(sent), sessionId }
        unwrap(await send(world, span({ ...ids, startedAt: now - 1_000, endedAt: now, ...given })))
      }
      await world.pass(2 * minute)
      await clock.advance(2 * minute)
      await runner.tick()
      return unwrap(await service.scores.read(admin, { applicationId: owner.applicationId }))
        .governance
    },
    breaches: () =>
      world.events('governance.threshold_breached').map((event) => {
        const { data } = event as unknown as { readonly data: Readonly<Record<string, unknown>> }
        return [data.previousScore, data.score, data.threshold]
      }),
  }
}

const denied = {
  policyResult: { ruleId: 'own', effect: 'deny', reasonCategory: null, reviewTier: null },
} as const

describe('thresholds that are set over the service', () => {
  it('decide whether a breach of governance is told', async () => {
    const { set, complete, breaches } = await scored()
    assert.equal(await complete(10), 100)
    const without = await complete(2, denied)
    assert.ok(without !== null && without < 100)
    assert.deepEqual(breaches(), [], 'without a threshold')

    unwrap(await set({ governanceThreshold: without - 5 }))
    const fallen = await complete(8, denied)
    assert.deepEqual(breaches(), [[without, fallen, without - 5]])
    assert.ok(fallen !== null)

    // Another threshold is told of anew, though the score was never above the first one again.
    unwrap(await set({ governanceThreshold: fallen - 0.5 }))
    const further = await complete(10, denied)
    assert.deepEqual(breaches().at(-1), [fallen, further, fallen - 0.5])
    unwrap(await set(null))
    await complete(20, denied)
    assert.equal(breaches().length, 2)
  })

  it('decide which sessions are flagged for their quality', async () => {
    const { set, complete, events } = await scored()
    const flags = () => events('session.flagged').length
    unwrap(await set({ qualityThreshold: 50 }))
    await complete(1, { status: 'error' })
    assert.equal(flags(), 1)
    unwrap(await set({ qualityThreshold: null }))
    await complete(1, { status: 'error' })
    assert.equal(flags(), 1)
  })

  it('are what `armed` is about', () => {
    const row = { armed: false, threshold: 80 } as ApplicationScore
    assert.equal(armedFor(row, 80).armed, false)
    assert.equal(armedFor(row, 70).armed, true)
  })
})
