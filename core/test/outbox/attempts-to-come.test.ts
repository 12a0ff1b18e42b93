import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { attemptsToCome, giveBack, settle } from '../../outbox/machine.ts'
import { attemptBudget, policies } from '../../outbox/policy.ts'
import type { Delivery, PolicyName } from '../../outbox/records.ts'
import { killsMutants } from './mutants.ts'
import { claimed, owed } from './owed.ts'

const unanswered = { responseStatus: null, error: 'timeout' }
const failed = { kind: 'failed', retryAfter: null } as const

/** Fails at once, jitter aside. */
const fail = (delivering: Delivery, now: number): Delivery => {
  const moment = { startedAt: now, postedAt: now, now, deliveredAt: now, jitter: 0, ...unanswered }
  return settle(delivering, failed, moment)
}

/** The times at which the attempts of a delivery begin from now on, each failing at once. */
function played(from: Delivery, began: number): readonly number[] {
  const times: number[] = []
  let [row, now] = [from, began]
  while (row.due !== null) {
    times.push(row.due)
    now = Math.max(now, row.due)
    row = fail(claimed(row, now), now)
  }
  return times
}

const steps = fc.array(fc.tuple(fc.constantFrom('failed', 'unsent'), fc.nat(3_600_000)), {
  maxLength: 12,
})

test('the attempts to come are those that are made when each fails at once', () => {
  const property = (toCome: typeof attemptsToCome) =>
    fc.assert(
      fc.property(
        fc.constantFrom<PolicyName>('review', 'legacy', 'callback', 'once'),
        steps,
        fc.nat(3_600_000),
        (policy, script, later) => {
          let row = owed(policy)
          let now = 0
          for (const [what, late] of script) {
            if (row.due === null) break
            now = Math.max(now, row.due) + late
            const taken = claimed(row, now)
            row = what === 'failed' ? fail(taken, now) : giveBack(taken, now)
          }
          const waiting = { row, version: 1, leasedBy: null }
          now += later
          assert.deepEqual(toCome(waiting, { now }), played(row, now))
          if (row.due === null) return
          now = Math.max(now, row.due)
          const taken = claimed(row, now)
          const times = toCome({ row: taken, version: 2, leasedBy: 'dispatcher' }, { now })
          assert.deepEqual(times, played(fail(taken, now), now))
          assert.ok(times.length < attemptBudget(policies[policy]))
        },
      ),
      { numRuns: 2_000 },
    )
  killsMutants(property, attemptsToCome, {
    'it leaves the last one out': (found, view) => attemptsToCome(found, view).slice(0, -1),
    'it begins anew': (found, view) =>
      attemptsToCome({ ...found, row: { ...found.row, logged: 0 } }, view),
    'it counts its last try from now': (found, view) =>
      attemptsToCome({ ...found, row: { ...found.row, firstAttemptAt: null } }, view),
    'what is under way is to come': (found, view) =>
      attemptsToCome({ ...found, leasedBy: null }, view),
  })
})
