import assert from 'node:assert/strict'
import {
  add,
  emptyTally,
  type Plan,
  perform,
  run,
  type Tally,
  type Task,
} from '../simulator/index.ts'

/** A tally in which nothing broke. */
export const clean: Omit<Tally, 'runs' | 'crashPoints'> = {
  lost: 0,
  doubleDecided: 0,
  stale: 0,
  stuck: 0,
  violations: 0,
}

/** Runs so many seeds of one kind of plans; the test fails at the first broken property. */
export function campaignOf(of: Task['of']) {
  return async (kind: Task['kind'], from: number, count: number): Promise<Tally> => {
    const total = emptyTally()
    for (let seed = from; seed < from + count; seed++) {
      const { tally, failures } = await perform({ of, kind, seed })
      const [first] = failures
      assert.equal(first, undefined, `seed ${seed}: ${JSON.stringify(first?.result.violations[0])}`)
      add(total, tally)
    }
    return total
  }
}

interface CrashPoints {
  readonly stride: number
  readonly from?: number
  readonly points: number
}

/**
 * Plays a plan with a crash at each `stride`th of its storage points from `from` on, of which it has more than `points`;
 * none breaks a property. Each point is tried by `npm run simulate` and `npm run prove`.
 */
export async function crashAlong(
  plan: Plan,
  { stride, from = stride, points: fewest }: CrashPoints,
): Promise<void> {
  const { points, violations } = await run(plan)
  assert.deepEqual(violations, [])
  assert.ok(points > fewest, `${points} storage points`)
  for (let point = from; point <= points; point += stride) {
    const crashed = await run({ ...plan, crashAt: [point] })
    assert.deepEqual(crashed.violations, [], `crashed at ${point}`)
    assert.deepEqual(crashed.crashes, [point])
  }
}

/** The kinds of commands in forty plans. */
export function kindsOf(draw: (seed: number) => Plan): ReadonlySet<string> {
  const kinds = new Set<string>()
  for (let seed = 1; seed <= 40; seed++) for (const { kind } of draw(seed).commands) kinds.add(kind)
  return kinds
}
