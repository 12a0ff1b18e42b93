import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import {
  type AlertBounds,
  type AlertState,
  comparators,
  isWithin,
  judgeAlert,
  newAlertState,
} from '../../policies/alerts/machine.ts'

const bounds: fc.Arbitrary<AlertBounds> = fc
  .record({
    comparator: fc.constantFrom(...comparators),
    threshold: fc.integer({ min: 2, max: 4 }),
    recoveryThreshold: fc.option(fc.integer({ min: 0, max: 6 })),
  })
  .filter(isWithin)
const values = fc.array(fc.option(fc.integer({ min: 0, max: 6 }), { freq: 4 }), { maxLength: 30 })

/** The words of the interface over the whole series, without a state: when is it an alert? */
function isAlert(
  { comparator, threshold, recoveryThreshold }: AlertBounds,
  series: readonly number[],
): boolean {
  const beyond = (value: number, bound: number) =>
    ({ gt: value > bound, gte: value >= bound, lt: value < bound, lte: value <= bound })[comparator]
  const recovery = recoveryThreshold ?? threshold
  let alert = false
  for (let at = 0; at < series.length; at++) {
    const value = series[at] as number
    const before = series[at - 1]
    if (!alert) alert = beyond(value, threshold)
    else if (!beyond(value, recovery) && before !== undefined && !beyond(before, recovery))
      // The one before was judged during the alert: what triggers is never on the good side of the recovery.
      alert = false
  }
  return alert
}

function holds(judge: typeof judgeAlert): void {
  fc.assert(
    fc.property(bounds, values, (rule, series) => {
      let state: AlertState = newAlertState(0)
      const seen: number[] = []
      for (const [at, value] of series.entries()) {
        const was = state
        const { after, change } = judge(rule, state, value, at + 1)
        state = after
        if (value === null) {
          assert.deepEqual([after, change], [was, null])
          continue
        }
        seen.push(value)
        const alert = isAlert(rule, seen)
        assert.equal(state.state, alert ? 'triggered' : 'ok')
        assert.equal(state.currentValue, value)
        const changed = was.state !== state.state
        assert.equal(change, changed ? (alert ? 'triggered' : 'resolved') : null)
        assert.equal(state.stateSince, changed ? at + 1 : was.stateSince)
      }
    }),
    { numRuns: 1_000 },
  )
}

describe('the machine of an alert rule', () => {
  it('triggers at the first crossing and resolves after two in a row on the good side', () =>
    holds(judgeAlert))

  it('ends at once, without a value, where its metric is no longer measured', () => {
    const rule = { comparator: 'lt', threshold: 5, recoveryThreshold: null } as const
    const { after: triggered } = judgeAlert(rule, newAlertState(0), 1, 1)
    const { after, change } = judgeAlert(rule, triggered, 'unmeasured', 2)
    assert.deepEqual([after, change], [newAlertState(2), 'resolved'])
    const again = judgeAlert(rule, { ...after, currentValue: 7 }, 'unmeasured', 3)
    assert.deepEqual(again, { after: newAlertState(2), change: null })
  })

  it('is told from machines that are wrong', () => {
    const mutants: Readonly<Record<string, typeof judgeAlert>> = {
      'one on the good side resolves': (rule, before, value, now) =>
        judgeAlert(rule, { ...before, recovered: 1 }, value, now),
      'three on the good side are needed': (rule, before, value, now) =>
        judgeAlert(rule, { ...before, recovered: before.recovered - 0.4 }, value, now),
      'the row is not broken by a bad one': (rule, before, value, now) => {
        const { after, change } = judgeAlert(rule, before, value, now)
        const recovered = Math.max(before.recovered, after.recovered)
        return { after: change ? after : { ...after, recovered }, change }
      },
      'the recovery threshold is not looked at': (rule, before, value, now) =>
        judgeAlert({ ...rule, recoveryThreshold: null }, before, value, now),
      'the recovery threshold triggers': (rule, before, value, now) =>
        judgeAlert(
          { ...rule, threshold: rule.recoveryThreshold ?? rule.threshold },
          before,
          value,
          now,
        ),
      'no data is nothing': (rule, before, value, now) => judgeAlert(rule, before, value ?? 0, now),
      'gte is gt': (rule, before, value, now) =>
        judgeAlert(
          { ...rule, comparator: rule.comparator === 'gte' ? 'gt' : rule.comparator },
          before,
          value,
          now,
        ),
      'the other side is the bad one': (rule, before, value, now) =>
        judgeAlert(
          { ...rule, comparator: rule.comparator === 'lt' ? 'gt' : rule.comparator },
          before,
          value,
          now,
        ),
    }
    for (const [name, mutant] of Object.entries(mutants)) assert.throws(() => holds(mutant), name)
  })
})
