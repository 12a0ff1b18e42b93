import assert from 'node:assert/strict'
import { add, emptyTally, perform, type Tally, type Task } from '../simulator/index.ts'

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
