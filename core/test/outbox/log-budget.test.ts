import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { alwaysKept, createLogBudget } from '../../outbox/log-budget.ts'

const hour = 3_600_000
const limits = { keepBurst: 100_000, keepPerHour: 36_000 }

test('a tenant keeps a burst, then what an hour refills, and never less than the first kilobyte of each', () => {
  let now = 0
  const budget = createLogBudget(limits, () => now)
  assert.deepEqual(
    [65_536, 65_536, 65_536].map((wanted) => budget.take('ten_1', wanted)),
    [65_536, 100_000 - 65_536, alwaysKept],
  )
  assert.equal(budget.take('ten_2', 65_536), 65_536)
  now += hour
  assert.equal(budget.take('ten_1', 65_536), 36_000)
  now += 24 * hour
  assert.equal(budget.take('ten_1', 65_536), 65_536)
  assert.equal(budget.take('ten_1', 1_000), 1_000)
})

test('whatever is wanted whenever, no more is kept than burst, refill and the first kilobytes', () => {
  const property = (take: typeof createLogBudget) =>
    fc.property(
      fc.array(fc.record({ wait: fc.nat(hour), wanted: fc.nat(65_536) }), { maxLength: 50 }),
      (answers) => {
        let now = 0
        const budget = take(limits, () => now)
        let kept = 0
        let least = 0
        for (const { wait, wanted } of answers) {
          now += wait
          const took = budget.take('ten_1', wanted)
          assert.ok(took <= wanted && took >= Math.min(wanted, alwaysKept))
          kept += took
          least += Math.min(wanted, alwaysKept)
        }
        assert.ok(kept <= limits.keepBurst + (now / hour) * limits.keepPerHour + least)
      },
    )
  fc.assert(property(createLogBudget))
  const forgetful: typeof createLogBudget = (given, clock) => ({
    take: (tenantId, wanted) => createLogBudget(given, clock).take(tenantId, wanted),
  })
  assert.throws(() => fc.assert(property(forgetful), { numRuns: 500 }))
})

test('forgetting those whose buckets are full again forgives nobody else', () => {
  let now = 0
  const budget = createLogBudget(limits, () => now)
  for (let at = 0; at < 5_000; at++) {
    budget.take(`ten_${at}`, 65_536)
    now += hour
  }
  assert.equal(budget.take('ten_4999', 65_536), 65_536)
  assert.equal(budget.take('ten_4999', 65_536), limits.keepBurst - 2 * 65_536 + 36_000)
})
