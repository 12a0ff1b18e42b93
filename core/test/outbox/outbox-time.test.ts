import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createOutboxTime } from '../../outbox/outbox-time.ts'
import { createManualClock } from '../../testing/index.ts'
import { killsMutants } from './mutants.ts'
import { startedAt } from './rig.ts'

type Create = typeof createOutboxTime
const leaseMs = 30_000
const day = 86_400_000

const moves = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('advance' as const), ms: fc.nat(20_000) }),
    fc.record({
      kind: fc.constant('jump' as const),
      ms: fc.integer({ min: -3 * day, max: 3 * day }),
    }),
    fc.record({ kind: fc.constant('jump' as const), ms: fc.integer({ min: -900, max: 900 }) }),
  ),
  { maxLength: 40 },
)

/** A lease taken at each step lasts its time by the monotonic clock, but for drift, whatever the wall clock does. */
async function keepsLeases(
  create: Create,
  steps: typeof moves extends fc.Arbitrary<infer M> ? M : never,
) {
  const clock = createManualClock(startedAt)
  const time = create(clock, leaseMs)
  const leases: { readonly until: number; readonly mark: number; readonly drift: number }[] = []
  let last = time.now()
  let drift = 0
  for (const step of steps) {
    leases.push({ until: time.leaseBase() + leaseMs, mark: clock.monotonic(), drift })
    if (step.kind === 'advance') await clock.advance(step.ms)
    else {
      clock.jump(step.ms)
      if (step.ms > 0) drift += Math.min(step.ms, 1_000)
    }
    const now = time.now()
    assert.ok(now >= last, 'never back')
    assert.ok(Number.isSafeInteger(now))
    last = now
    for (const lease of leases) {
      const held = clock.monotonic() - lease.mark
      if (held < leaseMs - (drift - lease.drift))
        assert.ok(lease.until > now, 'a live lease is over')
    }
  }
}

test('outbox time never goes back, and no step of the wall clock ends a live lease', async () => {
  await fc.assert(
    fc.asyncProperty(moves, (steps) => keepsLeases(createOutboxTime, steps)),
    { numRuns: 500 },
  )
  const mutants: Readonly<Record<string, Create>> = {
    'the wall clock': (clock) => ({ now: () => clock.now(), leaseBase: () => clock.now() }),
    'a forward step taken at once': (clock) => createOutboxTime(clock, 0),
  }
  for (const [name, mutant] of Object.entries(mutants))
    await assert.rejects(
      fc.assert(
        fc.asyncProperty(moves, (steps) => keepsLeases(mutant, steps)),
        { numRuns: 500 },
      ),
      `the mutant "${name}" survived`,
    )
})

test('after a forward step the wall clock is met one lease later; after a step back, when it has caught up', async () => {
  const clock = createManualClock(startedAt)
  const time = createOutboxTime(clock, leaseMs)
  clock.jump(3 * day)
  assert.equal(time.now(), startedAt)
  assert.equal(time.leaseBase(), startedAt + 3 * day, 'leases already last beyond the step')
  await clock.advance(leaseMs)
  assert.equal(time.now(), clock.now())
  clock.jump(-10_000)
  await clock.advance(1_000)
  assert.equal(time.now(), clock.now() + 10_000, 'it runs on')
  await clock.advance(5_000)
  clock.jump(10_500)
  assert.equal(time.now(), clock.now(), 'drift is followed at once')
})

test('a process sees drift between its clocks as no step', () => {
  const property = (create: Create) => {
    let wall = startedAt
    let monotonic = 0
    const clock = { now: () => wall, monotonic: () => monotonic, after: () => () => {} }
    const time = create(clock, leaseMs)
    for (let n = 0; n < 1_000; n++) {
      wall += 1_001
      monotonic += 1_000
      assert.ok(Math.abs(time.now() - wall) <= 1)
    }
  }
  killsMutants(property, createOutboxTime, {
    'anchored for ever': (clock) => {
      const base = clock.now() - clock.monotonic()
      return { now: () => base + clock.monotonic(), leaseBase: () => 0 }
    },
  })
})
