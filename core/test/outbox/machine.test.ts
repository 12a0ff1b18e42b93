import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { AnswerVerdict } from '../../outbox/answer.ts'
import { begin, giveBack, giveUp, interruptedBefore, replay, settle } from '../../outbox/machine.ts'
import { attemptBudget, lastTryAfter, policies } from '../../outbox/policy.ts'
import type { Delivery, PolicyName } from '../../outbox/records.ts'
import { statusOf } from '../../outbox/status.ts'
import { killsMutants } from './mutants.ts'

const hour = 3_600_000

function owed(policy: PolicyName, more: Partial<Delivery> = {}): Delivery {
  return {
    endpointId: 'wh_1',
    messageId: 'evt_1',
    tenantId: 'ten_1',
    applicationId: null,
    deliveryId: 'dlv_1',
    kind: 'event',
    type: 'review.case.created',
    family: 'standard',
    policy,
    round: 1,
    generation: 0,
    status: 'pending',
    due: 0,
    attempts: 0,
    logged: 0,
    createdAt: 0,
    firstAttemptAt: null,
    deliveredAt: null,
    endedAt: null,
    trigger: 'event',
    ...more,
  }
}

/** What a store's claim does to the row. */
const claim = (delivery: Delivery, now: number): Delivery => ({
  ...delivery,
  attempts: delivery.attempts + 1,
  due: now + 30_000,
})

type Machine = { begin: typeof begin; settle: typeof settle; replay: typeof replay }
const machine: Machine = { begin, settle, replay }

const step = fc.oneof(
  { weight: 6, arbitrary: fc.constant('failed' as const) },
  { weight: 2, arbitrary: fc.constant('lost' as const) },
  { weight: 1, arbitrary: fc.constant('delivered' as const) },
  { weight: 1, arbitrary: fc.constant('gone' as const) },
  { weight: 1, arbitrary: fc.constant('unwanted' as const) },
  { weight: 1, arbitrary: fc.constant('unsent' as const) },
)
const bad = fc.constantFrom('failed' as const, 'lost' as const)
const steps = fc.oneof(
  fc.array(fc.tuple(step, fc.nat(3 * hour)), { minLength: 1, maxLength: 60 }),
  fc.array(fc.tuple(bad, fc.nat(60_000)), { minLength: 12, maxLength: 30 }),
)
const policyNames = fc.constantFrom<PolicyName>('review', 'legacy', 'callback', 'once')

/** Plays claims and what comes of them; every invariant of a round is checked at each step. */
function play(
  { begin, settle, replay }: Machine,
  name: PolicyName,
  script: readonly (readonly [typeof step extends fc.Arbitrary<infer S> ? S : never, number])[],
): void {
  const budget = attemptBudget(policies[name])
  const first = owed(name)
  let row = first
  let now = 0
  let posts = 0
  let lastPostAt = 0
  let firstPostAt: number | null = null
  let log: number[] = []

  /** A round that failed ends when its last try was due, not before, and its log has every attempt. */
  function checkEnd(gaveUp: boolean): void {
    assert.equal(row.endedAt === null, row.due !== null)
    if (row.due !== null) return
    assert.ok((row.endedAt ?? 0) >= now)
    if (gaveUp)
      assert.ok(
        now >= (firstPostAt ?? now) + lastTryAfter(policies[name]),
        `gave up ${now - (firstPostAt ?? now)} ms after the first POST`,
      )
    const numbers = Array.from({ length: row.attempts }, (_, at) => at + 1)
    assert.deepEqual(log, numbers, 'attempt numbers have no gap')
  }

  for (const [what, late] of script) {
    if (row.due === null) {
      assert.ok(row.status === 'delivered' || row.status === 'dead_lettered')
      const next = replay({ row, version: 1, leasedBy: null }, { now, generation: 3 })
      assert.ok(next, 'a round that has ended can be replayed')
      assert.deepEqual(
        [next.round, next.attempts, next.status, next.due, next.generation, next.trigger],
        [row.round + 1, 0, 'pending', now, 3, 'replay'],
      )
      assert.equal(next.endedAt, null)
      assert.deepEqual([next.deliveryId, next.messageId], [first.deliveryId, first.messageId])
      row = next
      posts = 0
      firstPostAt = null
      log = []
    }
    assert.equal(replay({ row, version: 1, leasedBy: null }, { now, generation: 0 }), null)
    now = Math.max(now, row.due ?? 0) + late
    const claimed = claim(row, now)
    const begun = begin(claimed, now)
    if (!begun.send) {
      // The process ends before this is written.
      if (what === 'lost') {
        row = claimed
        continue
      }
      log.push(...interruptedBefore(claimed, begun.after))
      row = begun.after
      assert.ok(row.attempts <= budget)
      checkEnd(true)
      continue
    }
    if (what === 'unsent') {
      row = giveBack(claimed, now)
      continue
    }
    if (what === 'unwanted') {
      row = giveUp(claimed, now)
      log.push(...interruptedBefore(claimed, row))
      assert.equal(row.status, 'dead_lettered')
      checkEnd(false)
      continue
    }
    if (firstPostAt !== null && what !== 'lost') assert.ok(now >= lastPostAt)
    posts++
    firstPostAt ??= now
    lastPostAt = now
    assert.ok(posts <= budget, `at most ${budget} POSTs in a round`)
    if (what === 'lost') {
      row = claimed
      continue
    }
    const verdict: AnswerVerdict =
      what === 'failed' ? { kind: 'failed', retryAfter: null } : { kind: what }
    const after = settle(claimed, verdict, {
      startedAt: now,
      now: now + 10,
      deliveredAt: now + 10,
      jitter: 0.3,
    })
    assert.equal(after.attempts, claimed.attempts, 'attempts count claims')
    assert.equal(after.due === null, after.status !== 'retry_scheduled')
    assert.equal(after.deliveredAt !== null, after.status === 'delivered')
    if (what === 'gone') assert.equal(after.status, 'dead_lettered', '410 is final')
    if (what === 'delivered') assert.equal(after.status, 'delivered')
    log.push(...interruptedBefore(claimed, after), claimed.attempts)
    row = after
    checkEnd(what === 'failed')
  }
}

test('a round never leaves its states, its budget or its schedule, whatever is lost, given back or replayed', () => {
  const property = (subject: Machine) =>
    fc.assert(
      fc.property(policyNames, steps, (name, script) => play(subject, name, script)),
      { numRuns: 10_000 },
    )
  killsMutants(property, machine, {
    'a spent budget still sends': { ...machine, begin: () => ({ send: true }) },
    'lost answers end the schedule': {
      ...machine,
      begin: (row, now) =>
        row.attempts <= attemptBudget(policies[row.policy])
          ? { send: true }
          : { send: false, after: giveUp(row, now) },
    },
    'only a policy with a deadline keeps its last try': {
      ...machine,
      begin: (row, now) =>
        policies[row.policy].lastAfter === null &&
        row.attempts <= attemptBudget(policies[row.policy])
          ? { send: true }
          : begin(row, now),
    },
    'lost answers are not logged': {
      ...machine,
      begin: (row, now) => {
        const begun = begin(row, now)
        return begun.send ? begun : { ...begun, after: { ...begun.after, logged: 0 } }
      },
    },
    '410 is retried': {
      ...machine,
      settle: (row, verdict, moment) =>
        settle(
          row,
          verdict.kind === 'gone' ? { kind: 'failed', retryAfter: null } : verdict,
          moment,
        ),
    },
    'a replay keeps what was spent': {
      ...machine,
      replay: (found, view) => {
        const next = replay(found, view)
        return next && { ...next, attempts: found.row.attempts }
      },
    },
    'a replay is a new delivery': {
      ...machine,
      replay: (found, view) => {
        const next = replay(found, view)
        return next && { ...next, deliveryId: 'dlv_2' }
      },
    },
    'an end has no time': {
      ...machine,
      settle: (row, verdict, moment) => ({ ...settle(row, verdict, moment), endedAt: null }),
    },
    'a replay has ended before': {
      ...machine,
      replay: (found, view) => {
        const next = replay(found, view)
        return next && { ...next, endedAt: found.row.endedAt }
      },
    },
    'a running round can be replayed': {
      ...machine,
      replay: (found, view) =>
        replay({ ...found, row: { ...found.row, status: 'delivered' } }, view),
    },
  })
})

test('lost answers spend the budget, and a spent one ends without a POST when its last try was due', () => {
  const spent = claim(
    owed('legacy', { attempts: 4, status: 'retry_scheduled', firstAttemptAt: 0 }),
    155_000,
  )
  const begun = begin(spent, 155_000)
  const given = giveUp(spent, 155_000)
  assert.deepEqual(begun, { send: false, after: given })
  assert.deepEqual([given.attempts, given.logged, given.endedAt], [4, 4, 155_000])
})

test('a callback lost to seven crashes in 226 s is tried again when its last try is due', () => {
  let row = owed('callback')
  let now = 0
  for (let crash = 0; crash < 7; crash++) {
    row = claim(row, now)
    const begun = begin(row, now)
    if (!begun.send) break
    now += 226_000 / 7
  }
  const begun = begin(claim(row, now), now)
  assert.ok(!begun.send)
  assert.equal(begun.after.status, 'retry_scheduled')
  assert.ok((begun.after.due ?? 0) >= 17.5 * hour)
})

test('a sender that crashed ten times in ten minutes does not give up on a review event before its three days', () => {
  const spent = claim(owed('review', { attempts: 10, firstAttemptAt: 1_000 }), 600_000)
  const begun = begin(spent, 600_000)
  assert.ok(!begun.send)
  assert.deepEqual(
    [begun.after.status, begun.after.due, begun.after.attempts],
    ['retry_scheduled', 1_000 + 72 * hour, 9],
  )
  // The tenth is still to come, and numbered so.
  assert.deepEqual(interruptedBefore(spent, begun.after), [1, 2, 3, 4, 5, 6, 7, 8, 9])
  const last = claim(begun.after, 1_000 + 72 * hour)
  assert.deepEqual(begin(last, 1_000 + 72 * hour), { send: true })
  const lostAgain = begin(claim(last, 1_000 + 73 * hour), 1_000 + 73 * hour)
  assert.ok(!lostAgain.send)
  assert.equal(lostAgain.after.status, 'dead_lettered')
})

test('a claim given back leaves no trace, the first attempt of a delivery born leased included', () => {
  const born = owed('review', { attempts: 1, due: 30_000 })
  assert.deepEqual(giveBack(born, 0), owed('review'))
})

test('the status that readers see', () => {
  const scheduled = owed('review', { status: 'retry_scheduled', due: 100 })
  const status = (row: Delivery, leasedBy: string | null, now: number, admits?: boolean) =>
    statusOf(
      { row, version: 1, leasedBy },
      admits === undefined ? { now } : { now, admits: () => admits },
    )
  assert.equal(status(owed('review'), null, 0), 'pending')
  assert.equal(status(scheduled, null, 0), 'retry_scheduled')
  assert.equal(status(scheduled, 'us', 99), 'delivering')
  assert.equal(status(owed('review', { due: 100 }), 'us', 100), 'retry_scheduled', 'lease expired')
  assert.equal(status(scheduled, 'us', 99, false), 'delivering', 'in flight settles by its answer')
  assert.equal(status(scheduled, null, 0, false), 'dead_lettered')
  assert.equal(status(scheduled, 'us', 100, false), 'dead_lettered')
  const delivered = owed('review', { status: 'delivered', due: null })
  assert.equal(status(delivered, null, 0, false), 'delivered')
})

test('what is dead-lettered by its endpoint alone can be replayed, what is in flight cannot', () => {
  const row = owed('review', { status: 'retry_scheduled', due: 100 })
  const view = { now: 50, generation: 1, admits: () => false }
  assert.equal(replay({ row, version: 1, leasedBy: 'us' }, view), null)
  assert.equal(replay({ row, version: 1, leasedBy: null }, view)?.round, 2)
})
