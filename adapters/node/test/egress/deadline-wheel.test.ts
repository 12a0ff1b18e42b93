import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createManualClock } from '@countersign/core/testing'
import fc from 'fast-check'
import { createDeadlineWheel } from '../../egress/deadline-wheel.ts'

const tick = 50
const unlinked = { previous: null, next: null }

describe('the deadline wheel', () => {
  it('tells each deadline once, never early and at most a tick late, and none that was removed', async () => {
    const item = fc.record({
      startsAfter: fc.nat(3000),
      lasts: fc.integer({ min: 1, max: 40_000 }),
      removed: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(item, { maxLength: 30 }), async (items) => {
        const clock = createManualClock(0, { settle: async () => {} })
        const wheel = createDeadlineWheel(clock)
        const told = new Map<number, number>()
        const due: [number, number, boolean][] = []
        let number = 0
        for (const { startsAfter, lasts, removed } of items) {
          await clock.advance(startsAfter)
          const mine = number++
          const at = clock.monotonic() + lasts
          const deadline = {
            ...unlinked,
            at,
            expire: () => {
              assert.ok(!told.has(mine))
              told.set(mine, clock.monotonic())
            },
          }
          wheel.add(deadline)
          if (removed) wheel.remove(deadline)
          due.push([mine, at, removed])
        }
        await clock.advance(60_000)
        for (const [mine, at, removed] of due) {
          const moment = told.get(mine)
          if (removed) assert.equal(moment, undefined)
          else assert.ok(moment !== undefined && moment >= at && moment <= at + tick)
        }
        assert.equal(clock.waiting(), 0, 'a timer runs on with nothing to watch')
      }),
      { numRuns: 50 },
    )
  })

  it('lets one that expires take others with it', async () => {
    const clock = createManualClock(0)
    const wheel = createDeadlineWheel(clock)
    const told: number[] = []
    const twins = [1, 2].map((number) => ({
      ...unlinked,
      at: 100,
      expire: () => {
        told.push(number)
        for (const twin of twins) wheel.remove(twin)
      },
    }))
    for (const twin of twins) wheel.add(twin)
    assert.equal(wheel.all().length, 2)
    await clock.advance(1000)
    assert.equal(told.length, 1)
    assert.deepEqual([wheel.all().length, clock.waiting()], [0, 0])
  })

  it('uses one timer for all', () => {
    const clock = createManualClock(0)
    const wheel = createDeadlineWheel(clock)
    for (let at = 1; at < 1000; at++) wheel.add({ ...unlinked, at: at * 10, expire: () => {} })
    assert.equal(clock.waiting(), 1)
  })

  it('tells everything that is due after the process stood still', async () => {
    let now = 0
    const timers: (() => void)[] = []
    const wheel = createDeadlineWheel({
      now: () => now,
      monotonic: () => now,
      after: (_ms, call) => {
        timers.push(call)
        return () => {}
      },
    })
    const told: number[] = []
    for (const at of [10, 9_000, 12_801, 30_000])
      wheel.add({ ...unlinked, at, expire: () => told.push(at) })
    now = 29_999
    timers.shift()?.()
    assert.deepEqual(
      told.sort((a, b) => a - b),
      [10, 9_000, 12_801],
    )
    now = 30_000
    timers.shift()?.()
    assert.deepEqual(told.at(-1), 30_000)
    assert.equal(timers.length, 0)
  })
})
