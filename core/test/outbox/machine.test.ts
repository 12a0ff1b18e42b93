import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { AnswerVerdict } from '../../outbox/answer.ts'
import {
  begin,
  giveBack,
  giveUp,
  interruptedBefore,
  interruptionsAtOnce,
  interruptionWaitMs,
  replay,
  settle,
} from '../../outbox/machine.ts'
import { attemptBudget, lastTryAfter, policies } from '../../outbox/policy.ts'
import type { Delivery, PolicyName } from '../../outbox/records.ts'
import { statusOf } from '../../outbox/status.ts'
import { killsMutants } from './mutants.ts'
import { claimed as claim, owed } from './owed.ts'

const hour = 3_600_000

const unanswered = { responseStatus: null, error: 'timeout' }

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
  fc.array(fc.tuple(fc.constant('lost' as const), fc.nat(60_000)), {
    minLength: 30,
    maxLength: 90,
  }),
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
  /** POSTs that began, those of lost claims included. */
  let begunPosts = 0
  let interrupted: number[] = []
  /** Claims whose process ended, with a POST under way or without. */
  let lost = 0
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

  /** Interrupted POSTs beyond the budget are at least so far apart, so that a poison delivery ends few processes. */
  function checkBudget(): void {
    const beyond = interrupted.slice(interruptionsAtOnce)
    const close = beyond.slice(1).filter((at, i) => at - (beyond[i] ?? 0) < interruptionWaitMs)
    // The schedule's last try may come before the hour is over.
    assert.ok(close.length <= 1, `${close.length + interruptionsAtOnce} interrupted without a wait`)
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
      begunPosts = 0
      interrupted = []
      lost = 0
      firstPostAt = null
      log = []
    }
    assert.equal(replay({ row, version: 1, leasedBy: null }, { now, generation: 0 }), null)
    now = Math.max(now, row.due ?? 0) + late
    const claimed = claim(row, now)
    const begun = begin(claimed, now)
    if (!begun.send) {
      // The process ends before this is written.
      if (what === 'lost' && late % 5 === 0) {
        lost++
        row = claimed
        continue
      }
      log.push(...interruptedBefore(claimed, begun.after))
      row = begun.after
      assert.ok(row.attempts - row.interrupted <= budget)
      if (row.due !== null && lost <= interruptionsAtOnce)
        assert.ok(row.due <= now, 'what was interrupted is due at once')
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
    firstPostAt ??= now
    lastPostAt = now
    begunPosts++
    assert.ok(name !== 'once' || begunPosts === 1, 'sent at most once, whatever is lost')
    if (what === 'lost') {
      interrupted.push(now)
      lost++
      checkBudget()
      row = claimed
      continue
    }
    posts++
    assert.ok(posts <= budget, `at most ${budget} POSTs in a round that were settled`)
    const verdict: AnswerVerdict =
      what === 'failed' ? { kind: 'failed', retryAfter: null } : { kind: what }
    const after = settle(claimed, verdict, {
      startedAt: now,
      postedAt: now,
      now: now + 10,
      deliveredAt: now + 10,
      jitter: 0.3,
      ...unanswered,
    })
    assert.equal(after.attempts, claimed.attempts, 'attempts count claims')
    assert.equal(after.attempts - after.interrupted, posts, 'interruptions take no step')
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
    'whatever was interrupted is sent': { ...machine, begin: () => ({ send: true }) },
    'an interruption takes a step of the schedule': {
      ...machine,
      begin: (row, now) => begin({ ...row, logged: row.attempts - 1 }, now),
    },
    'an interruption waits like a failure': {
      ...machine,
      begin: (row, now) => {
        const begun = begin(row, now)
        if (begun.send || begun.after.due === null) return begun
        return { ...begun, after: { ...begun.after, due: now + 5 * 60_000 } }
      },
    },
    'interruptions have no budget': {
      ...machine,
      begin: (row, now) => {
        const begun = begin(row, now)
        return begun.send || begun.after.due === null
          ? begun
          : { ...begun, after: { ...begun.after, due: now } }
      },
    },
    'interruptions have a budget but no time': {
      ...machine,
      begin: (row, now) =>
        row.interrupted > interruptionsAtOnce
          ? { send: false, after: giveUp(row, now) }
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

/** Crashes in the POST of each claim, each so long after the one before; tells the claims that were sent. */
function crash(row: Delivery, times: number, everyMs: number): { row: Delivery; now: number } {
  let now = 0
  for (let crashes = 0; crashes < times; ) {
    now = Math.max(now, row.due ?? Number.POSITIVE_INFINITY)
    assert.ok(Number.isFinite(now), `given up after ${crashes} crashes`)
    row = claim(row, now)
    const begun = begin(row, now)
    if (!begun.send) row = begun.after
    else {
      crashes++
      now += everyMs
    }
  }
  return { row, now }
}

for (const policy of ['callback', 'review', 'legacy'] as const)
  test(`after nine crashes in five minutes a ${policy} delivery is due within a minute, at its first step`, () => {
    const { row, now } = crash(owed(policy), 9, 33_000)
    const found = begin(claim(row, now), now)
    assert.ok(!found.send)
    assert.deepEqual([found.after.due, found.after.attempts, found.after.interrupted], [now, 9, 9])
    const next = claim(found.after, now)
    assert.deepEqual(begin(next, now), { send: true })
    const failed = {
      startedAt: now,
      postedAt: now,
      now,
      deliveredAt: now,
      jitter: 0,
      ...unanswered,
    }
    const after = settle(next, { kind: 'failed', retryAfter: null }, failed)
    assert.deepEqual([after.due, after.attempts, after.logged], [now + 5_000, 10, 10])
  })

test('a delivery that ends the process each time does so twenty times at once, then hourly, then no more', () => {
  for (const [policy, most] of [
    ['callback', 21 + 18],
    ['review', 21 + 72],
    ['legacy', 21 + 1],
  ] as const) {
    let [row, now, posts] = [owed(policy), 0, 0]
    for (; row.due !== null; ) {
      now = Math.max(now, row.due)
      row = claim(row, now)
      const begun = begin(row, now)
      if (begun.send) {
        posts++
        now += 10_000
      } else row = begun.after
    }
    assert.equal(row.status, 'dead_lettered')
    assert.ok(posts > interruptionsAtOnce && posts <= most, `${policy}: ${posts} POSTs`)
    assert.ok(now >= lastTryAfter(policies[policy]), `${policy}: given up after ${now} ms`)
  }
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
