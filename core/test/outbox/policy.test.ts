import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  attemptBudget,
  type Failure,
  nextAttemptAt,
  policies,
  type RetryPolicy,
} from '../../outbox/policy.ts'
import { killsMutants } from './mutants.ts'

type Next = typeof nextAttemptAt
const hour = 3_600_000
const draws = { numRuns: 10_000 }

interface Try {
  readonly startedAt: number
  readonly endedAt: number
}

/** Every attempt of a round in which each one fails after `latency`, the sender being prompt. */
function round(
  next: Next,
  policy: RetryPolicy,
  draw: {
    readonly latencies: readonly number[]
    readonly jitters: readonly number[]
    readonly asked: number | null
  },
): readonly Try[] {
  const tries: Try[] = []
  let startedAt: number | null = 1_000
  while (startedAt !== null) {
    assert.ok(tries.length < 50, 'the round ends')
    const at = tries.length
    const endedAt: number = startedAt + (draw.latencies[at % draw.latencies.length] ?? 0)
    tries.push({ startedAt, endedAt })
    startedAt = next(policy, {
      attempts: tries.length,
      firstAttemptAt: tries[0]?.startedAt ?? 0,
      now: endedAt,
      jitter: draw.jitters[at % draw.jitters.length] ?? 0,
      retryAfter: draw.asked,
    })
  }
  return tries
}

const latencies = fc.array(fc.integer({ min: 0, max: 10_000 }), { minLength: 1, maxLength: 12 })
const jitters = fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), {
  minLength: 1,
  maxLength: 12,
})
const asked = fc.option(fc.oneof(fc.integer({ min: 0, max: 200_000_000 }), fc.constant(1e12)))

/** Gaps between an attempt's end and the next one's start. */
function gaps(tries: readonly Try[]): readonly number[] {
  return tries.slice(1).map(({ startedAt }, at) => startedAt - (tries[at]?.endedAt ?? 0))
}

test('a service event is tried at once and 5, 25 and 125 s after each failure, then no more', () => {
  const property = (next: Next) =>
    fc.assert(
      fc.property(latencies, jitters, asked, (latencies, jitters, asked) => {
        const tries = round(next, policies.legacy, { latencies, jitters, asked })
        assert.deepEqual(gaps(tries), [5_000, 25_000, 125_000])
      }),
      draws,
    )
  killsMutants(property, nextAttemptAt, {
    'one try more': (policy, failure) =>
      nextAttemptAt({ ...policy, waits: [...policy.waits, 625_000] }, failure),
    'jitter for all': (policy, failure) => nextAttemptAt({ ...policy, jitter: 0.2 }, failure),
    'Retry-After for all': (policy, failure) => nextAttemptAt({ ...policy, stretch: 2 }, failure),
    'waits shorter by the latency': (policy, failure) =>
      nextAttemptAt(policy, { ...failure, now: failure.now - 10 }),
  })
})

const base = [5_000, 300_000, 1_800_000, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour]

test('a review event has eight waits of up to a fifth more and a last try exactly 72 h after the first', () => {
  const property = (next: Next) =>
    fc.assert(
      fc.property(latencies, jitters, (latencies, jitters) => {
        const tries = round(next, policies.review, { latencies, jitters, asked: null })
        assert.equal(tries.length, 10)
        assert.equal(tries[9]?.startedAt, (tries[0]?.startedAt ?? 0) + 72 * hour)
        for (const [at, gap] of gaps(tries).slice(0, 8).entries()) {
          const least = base[at] ?? 0
          assert.ok(gap >= least && gap <= least * 1.2, `wait ${at + 1} was ${gap}`)
        }
      }),
      draws,
    )
  killsMutants(property, nextAttemptAt, {
    'early by a second': (policy, failure) => {
      const at = nextAttemptAt(policy, failure)
      return at && at - 1_000
    },
    'jitter of a half': (policy, failure) => nextAttemptAt({ ...policy, jitter: 0.5 }, failure),
    'jitter on the last wait': (policy, failure) => {
      const at = nextAttemptAt(policy, failure)
      return at && failure.attempts === 9 ? at + Math.round(failure.jitter * hour) + 1 : at
    },
    'no last try': (policy, failure) =>
      failure.attempts === 9 ? null : nextAttemptAt(policy, failure),
  })
})

test('Retry-After lengthens a review wait to at most twice, never shortens it and never passes the deadline', () => {
  const property = (next: Next) =>
    fc.assert(
      fc.property(latencies, jitters, asked, (latencies, jitters, asked) => {
        const tries = round(next, policies.review, { latencies, jitters, asked })
        const deadline = (tries[0]?.startedAt ?? 0) + 72 * hour
        assert.ok(tries.length <= 10)
        const last = tries.at(-1)
        assert.ok(last && last.startedAt <= deadline && last.endedAt >= deadline, 'last at 72 h')
        for (const [at, gap] of gaps(tries).slice(0, -1).entries()) {
          const least = base[at] ?? 0
          assert.ok(gap >= least && gap <= least * 2, `wait ${at + 1} was ${gap}`)
          if (asked !== null && asked <= least * 2) assert.ok(gap >= asked)
        }
      }),
      draws,
    )
  killsMutants(property, nextAttemptAt, {
    'Retry-After is taken at its word': (policy, failure) =>
      nextAttemptAt({ ...policy, stretch: 1e9 }, failure),
    'Retry-After is ignored': (policy, failure) =>
      nextAttemptAt(policy, { ...failure, retryAfter: null }),
    'Retry-After may pass the deadline': (policy, failure) => {
      const at = nextAttemptAt(policy, failure)
      const wait = policy.waits[failure.attempts - 1] ?? 0
      return at && Math.max(at, failure.now + Math.min(failure.retryAfter ?? 0, 2 * wait))
    },
  })
})

test('the callback has six retries with jitter and no more; the test operation has none', () => {
  fc.assert(
    fc.property(latencies, jitters, asked, (latencies, jitters, asked) => {
      const tries = gaps(round(nextAttemptAt, policies.callback, { latencies, jitters, asked }))
      assert.equal(tries.length, 6)
      for (const [at, gap] of tries.entries()) {
        const least = base[at] ?? 0
        assert.ok(gap >= least && gap <= least * 1.2)
      }
      assert.equal(round(nextAttemptAt, policies.once, { latencies, jitters, asked }).length, 1)
    }),
    draws,
  )
})

test('a sender that was down past the deadline makes one late try and then gives up', () => {
  const property = (next: Next) =>
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10 }), fc.nat(200 * hour), (attempts, late) => {
        const failure: Failure = {
          attempts,
          firstAttemptAt: 1_000,
          now: 1_000 + 72 * hour + late,
          jitter: 0.5,
          retryAfter: null,
        }
        assert.equal(next(policies.review, failure), null)
      }),
      draws,
    )
  killsMutants(property, nextAttemptAt, {
    'the schedule goes on past the deadline': (policy, failure) =>
      nextAttemptAt({ ...policy, lastAfter: 1e12 }, failure),
  })
})

test('no attempt is ever due in the past', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...Object.values(policies)),
      fc.integer({ min: 1, max: 12 }),
      fc.nat(200 * hour),
      (policy, attempts, now) => {
        const due = nextAttemptAt(policy, {
          attempts,
          firstAttemptAt: 0,
          now,
          jitter: 0,
          retryAfter: null,
        })
        assert.ok(due === null || (due >= now && attempts < attemptBudget(policy)))
      },
    ),
    draws,
  )
})
