import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { begin, bringForward, interruptionsAtOnce, settle } from '../../outbox/machine.ts'
import { attemptBudget, lastTryAfter, policies } from '../../outbox/policy.ts'
import type { Delivery, PolicyName } from '../../outbox/records.ts'
import { killsMutants } from './mutants.ts'
import { claimed, owed } from './owed.ts'

const unanswered = { responseStatus: null, error: 'timeout' }

function fail(delivering: Delivery, now: number): Delivery {
  const moment = { startedAt: now, postedAt: now, now, deliveredAt: now, jitter: 0, ...unanswered }
  return settle(delivering, { kind: 'failed', retryAfter: null }, moment)
}

const waiting = (row: Delivery) => ({ row, version: 1, leasedBy: null })

const acts = fc.array(
  fc.tuple(
    fc.oneof(
      { weight: 4, arbitrary: fc.constant('failed' as const) },
      { weight: 4, arbitrary: fc.constant('asked' as const) },
      { weight: 1, arbitrary: fc.constant('lost' as const) },
    ),
    fc.nat(3_600_000),
  ),
  { maxLength: 60 },
)

test('however often a retry is brought forward, its round lasts as long and spends as many tries as it would', () => {
  const property = (bring: typeof bringForward) =>
    fc.assert(
      fc.property(
        fc.constantFrom<PolicyName>('review', 'legacy', 'callback'),
        acts,
        (policy, script) => {
          let row = owed(policy)
          let now = 0
          let [asked, posts, first] = [0, 0, -1]
          for (const [what, later] of script) {
            if (row.due === null) break
            if (what === 'asked') {
              now += later
              const was = row
              const next = bring(waiting(row), { now })
              const waits = row.status === 'retry_scheduled' && row.due > now
              assert.equal(next !== null, waits && row.interrupted <= interruptionsAtOnce)
              if (!next) continue
              asked++
              assert.deepEqual(
                { ...next, due: was.due, broughtForward: 0 },
                { ...was, broughtForward: 0 },
              )
              assert.equal(next.due, now)
              row = next
              assert.equal(bring(waiting(row), { now }), null, 'it is due already')
              continue
            }
            now = Math.max(now, row.due)
            row = claimed(row, now)
            const leased = { row, version: 2, leasedBy: 'dispatcher' }
            assert.equal(bring(leased, { now }), null, 'it is under way')
            const begun = begin(row, now)
            if (!begun.send) row = begun.after
            else if (what === 'failed') {
              posts++
              if (first < 0) first = now
              row = fail(row, now)
            } else now += 30_000
          }
          assert.ok(posts - asked <= attemptBudget(policies[policy]))
          if (row.due !== null) return
          assert.equal(bring(waiting(row), { now }), null, 'it has ended')
          const lasted = (row.endedAt ?? 0) - first
          assert.ok(lasted >= lastTryAfter(policies[policy]), `given up after ${lasted} ms`)
        },
      ),
      { numRuns: 5_000 },
    )
  killsMutants(property, bringForward, {
    'it takes a step': (found, view) => {
      const next = bringForward(found, view)
      return next && { ...next, broughtForward: found.row.broughtForward }
    },
    'it may be under way': (found, view) => bringForward({ ...found, leasedBy: null }, view),
    'it is asked for again and again': (found, view) =>
      bringForward(found, view) ??
      (found.row.status === 'retry_scheduled' && found.leasedBy === null
        ? { ...found.row, broughtForward: found.row.broughtForward + 1 }
        : null),
  })
})

test('a delivery that keeps ending the process is not brought forward', () => {
  const row = owed('review', {
    ...{ status: 'retry_scheduled', due: 5_000, firstAttemptAt: 0 },
    ...{ attempts: 22, logged: 22, interrupted: interruptionsAtOnce + 1 },
  })
  assert.equal(bringForward(waiting(row), { now: 1 }), null)
  const once = { ...row, interrupted: interruptionsAtOnce }
  assert.equal(bringForward(waiting(once), { now: 1 })?.due, 1)
})
