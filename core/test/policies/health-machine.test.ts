import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { healthStatuses } from '../../applications/view.ts'
import {
  agreed,
  type HealthFacts,
  type HealthState,
  judgeHealth,
  silentMs,
  worstOf,
} from '../../policies/health/machine.ts'

const well: HealthFacts = {
  sessions: 10,
  failed: 0,
  alerts: [],
  governanceBelowThreshold: false,
  silentFor: 0,
}
const statusOf = (facts: Partial<HealthFacts>) => judgeHealth({ ...well, ...facts }).status

describe('the health of an application', () => {
  it('follows from failures, alerts, governance and silence', () => {
    assert.deepEqual(judgeHealth(well), { status: 'healthy', reasons: [] })
    assert.equal(statusOf({ sessions: 100, failed: 9 }), 'healthy')
    assert.equal(statusOf({ sessions: 100, failed: 10 }), 'degraded')
    assert.equal(statusOf({ sessions: 100, failed: 49 }), 'degraded')
    assert.equal(statusOf({ sessions: 100, failed: 50 }), 'unhealthy')
    assert.equal(statusOf({ sessions: 4, failed: 4 }), 'degraded')
    assert.equal(statusOf({ sessions: 5, failed: 3 }), 'unhealthy')
    assert.equal(statusOf({ alerts: ['info'] }), 'healthy')
    assert.equal(statusOf({ alerts: ['info', 'warning'] }), 'degraded')
    assert.equal(statusOf({ alerts: ['warning', 'critical'] }), 'unhealthy')
    assert.equal(statusOf({ governanceBelowThreshold: true }), 'degraded')
    assert.equal(statusOf({ sessions: 0, silentFor: silentMs - 1 }), 'healthy')
    assert.equal(statusOf({ sessions: 0, silentFor: silentMs }), 'unknown')
    assert.equal(statusOf({ sessions: 0, silentFor: null }), 'unknown')
    assert.equal(statusOf({ sessions: 0, silentFor: null, alerts: ['warning'] }), 'degraded')
    const all = judgeHealth({
      ...{ sessions: 10, failed: 5, alerts: ['critical', 'warning'], silentFor: 0 },
      governanceBelowThreshold: true,
    })
    assert.deepEqual(all.reasons, [
      'failed_sessions',
      'critical_alert',
      'warning_alert',
      'governance_below_threshold',
    ])
  })

  it('of an organization is the worst of its applications', () => {
    const of = (...all: readonly (readonly [HealthFacts['sessions'], number])[]) =>
      worstOf(all.map(([sessions, failed]) => judgeHealth({ ...well, sessions, failed })))
    const silent = judgeHealth({ ...well, sessions: 0, silentFor: null })
    assert.equal(of([10, 0], [10, 5], [10, 1]).status, 'unhealthy')
    assert.deepEqual(of([10, 0], [10, 1]), { status: 'degraded', reasons: ['failed_sessions'] })
    assert.equal(worstOf([silent, judgeHealth(well)]).status, 'healthy')
    assert.deepEqual(worstOf([silent]), { status: 'unknown', reasons: ['no_sessions'] })
    assert.deepEqual(worstOf([]), { status: 'unknown', reasons: ['no_sessions'] })
  })

  it('changes when two judgements in a row agree', () => {
    const holds = (move: typeof agreed) =>
      fc.assert(
        fc.property(fc.array(fc.constantFrom(...healthStatuses)), (judgements) => {
          let state: HealthState = { status: 'unknown', candidate: null }
          for (const [at, judged] of judgements.entries()) {
            const before = state.status
            state = move(state, judged)
            const twice = judgements[at - 1] === judged
            if (twice) assert.equal(state.status, judged)
            else assert.equal(state.status, before)
          }
        }),
      )
    holds(agreed)
    const mutants: readonly (typeof agreed)[] = [
      (_, judged) => ({ status: judged, candidate: null }),
      (before) => before,
      (before, judged) =>
        before.candidate === null || judged === before.status
          ? agreed(before, judged)
          : { status: judged, candidate: null },
      (before, judged) => ({ ...agreed(before, judged), candidate: before.candidate ?? judged }),
    ]
    for (const mutant of mutants) assert.throws(() => holds(mutant))
  })
})
