import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type PropertyReport, properties } from '@countersign/conformance/receiver'
import fc from 'fast-check'
import {
  adapted,
  createSchedule,
  neededSeconds,
  promisedShare,
  type Scheduled,
  spareShare,
} from '../receiver/budget.ts'
import { noFamilies } from '../receiver/types.ts'

const budgetMs = 60_000

interface Run {
  readonly lanes: number
  readonly pace: { readonly answerMs: number; readonly effectMs: number }
  /** Of each slice, how much is used, and what is taken beyond it. */
  readonly uses: readonly number[]
  readonly beyond: readonly number[]
}

const runs: fc.Arbitrary<Run> = fc.record({
  lanes: fc.integer({ min: 1, max: 6 }),
  pace: fc.constantFrom({ answerMs: 1, effectMs: 1 }, { answerMs: 700, effectMs: 700 }),
  uses: fc.array(fc.constantFrom(0, 0.1, 1, 1), { minLength: 72, maxLength: 72 }),
  beyond: fc.array(fc.constantFrom(0, 0, 0, 1, 5, 30), { minLength: 72, maxLength: 72 }),
})

/** Plays a run of the suite in virtual time, in its order; the least slice as a multiple of what is promised. */
function leastSlice(all: readonly Scheduled[], run: Run, create = createSchedule): number {
  const { lanes, pace, uses, beyond } = run
  const schedule = create(all, { budgetMs, lanes })
  const spare = budgetMs * spareShare
  const scale =
    spare /
    Math.max(
      1,
      beyond.reduce((sum, one) => sum + one, 0),
    )
  const begun = new Set<Scheduled>()
  let least = Number.POSITIVE_INFINITY
  /** When it ends. */
  const play = (property: Scheduled, now: number): number => {
    const at = begun.add(property).size - 1
    const toCome = all.filter((one) => !begun.has(one))
    const end = schedule.endOf(property, { now, until: budgetMs, toCome, pace })
    least = Math.min(least, (end - now) / schedule.promisedMs(property))
    // What is not cut short takes from the spare part, too, what it takes beyond its promise.
    const most = property.early ? schedule.promisedMs(property) : end - now
    return now + most * (uses[at] ?? 0) + (beyond[at] ?? 0) * scale
  }
  const beside = all.filter(({ alone }) => !alone)
  let now = 0
  for (const property of all) if (property.early) now = play(property, now)
  const free = Array.from({ length: lanes }, () => now)
  for (const property of beside) {
    free.sort((a, b) => a - b)
    free[0] = play(property, free[0] ?? now)
  }
  now = Math.max(...free)
  for (const property of all) if (property.alone && !property.early) now = play(property, now)
  return least
}

const almost = 1 - 1e-9

describe('the budget of a run of the receiver suite', () => {
  it('gives each property what it promises, whatever the others take of it', () => {
    fc.assert(fc.property(runs, (run) => leastSlice(properties, run) >= almost))
  })

  it('gives less where the time that is promised to those to come is not kept for them', () => {
    const greedy: typeof createSchedule = (all, of) => ({
      ...createSchedule(all, of),
      endOf: (_, { until }) => until,
    })
    const equal: typeof createSchedule = (all, of) => ({
      ...createSchedule(all, of),
      endOf: (_, { now, until, toCome }) => now + (until - now) / (toCome.length + 1),
    })
    for (const create of [greedy, equal])
      assert.throws(() =>
        fc.assert(fc.property(runs, (run) => leastSlice(properties, run, create) >= almost)),
      )
  })

  it('promises the same whichever are chosen, half of the budget in all', () => {
    const schedule = createSchedule(properties, { budgetMs, lanes: 4 })
    const [first] = properties
    assert.ok(first)
    const only = schedule.endOf(first, {
      ...{ now: 0, until: budgetMs, toCome: [], pace: { answerMs: 1, effectMs: 1 } },
    })
    assert.equal(only, budgetMs, 'alone it has all of it besides')
    const length = properties.reduce(
      (sum, one) => sum + schedule.promisedMs(one) / (one.alone ? 1 : 4),
      0,
    )
    assert.ok(length <= budgetMs * promisedShare && length > budgetMs * promisedShare * 0.8)
  })
})

describe('what a run adapts to the speed that was measured', () => {
  for (const [name, measured, expected] of [
    ['a quick receiver', [1, 20, Number.POSITIVE_INFINITY], [4, 5_000]],
    ['one that is waited for, and serves side by side', [40, 60, 60], [16, 5_000]],
    ['one that takes a little longer than usual', [18, 0, 30], [8, 5_000]],
    ['one that serves one after the other', [40, 320, 320], [4, 5_000]],
    ['one that nothing was measured of', [900, 0, Number.POSITIVE_INFINITY], [4, 5_000]],
    ['one whose effects take long', [2, 2_400, Number.POSITIVE_INFINITY], [4, 9_600]],
  ] as const)
    it(`fits ${name}`, () => {
      const [answerMs, effectMs, severalMs] = measured
      const { lanes, settleMs } = adapted({ answerMs, effectMs, severalMs })
      assert.deepEqual([lanes, settleMs], expected)
    })

  it('never has fewer lanes or shorter waits than usual, and never more lanes than 16', () => {
    const ms = fc.double({ min: 0, max: 1e6, noNaN: true })
    fc.assert(
      fc.property(ms, ms, ms, (answerMs, effectMs, severalMs) => {
        const { lanes, settleMs } = adapted({ answerMs, effectMs, severalMs })
        assert.ok(Number.isInteger(lanes) && lanes >= 4 && lanes <= 16)
        assert.ok(settleMs >= 5_000)
      }),
    )
  })
})

describe('the budget that a machine without time needs', () => {
  const report = (change: object): PropertyReport => ({
    ...{ name: 'signature.altered', level: 'required', promise: '', histories: 0, leftOut: 0 },
    ...{ seconds: 0, verdict: 'not judged', wantOf: 'time', needs: [], ...change },
    families: noFamilies(),
  })
  const played = fc
    .record({
      histories: fc.integer({ min: 0, max: 300 }),
      leftOut: fc.integer({ min: 1, max: 300 }),
      each: fc.integer({ min: 1, max: 3_000 }),
    })
    .map(({ histories, leftOut, each }) => ({
      histories,
      leftOut,
      seconds: histories * each * 1e-3,
    }))

  it('promises each of them the time for all its histories, at the speed that was seen', () => {
    const some = fc.array(fc.tuple(fc.constantFrom(...properties), played), { minLength: 1 })
    fc.assert(
      fc.property(some, (pairs) => {
        const reports = new Map(pairs.map(([property, one]) => [property, report(one)]))
        const schedule = createSchedule(properties, { budgetMs, lanes: 4 })
        const found = neededSeconds(reports, { ...schedule, budgetMs })
        assert.ok(found && found.given === budgetMs / 1000 && found.needed > found.given)
        const enough = createSchedule(properties, { budgetMs: found.needed * 1000, lanes: 4 })
        for (const [property, { histories, leftOut, seconds }] of reports)
          if (histories > 0)
            assert.ok(
              enough.promisedMs(property) >= (1000 * seconds * (histories + leftOut)) / histories,
            )
      }),
    )
  })

  it('is none where no required property lacked time', () => {
    const [first] = properties
    assert.ok(first)
    const of = (change: object) =>
      neededSeconds(new Map([[first, report(change)]]), { promisedMs: () => 1, budgetMs })
    assert.equal(of({ level: 'hardening' }), null)
    assert.equal(of({ wantOf: 'ability' }), null)
    assert.equal(of({ verdict: 'passed' }), null)
    assert.notEqual(of({}), null)
  })
})
