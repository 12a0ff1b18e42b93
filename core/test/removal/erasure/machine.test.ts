import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import {
  type Block,
  checkAt,
  nextPhase,
  outcomesMs,
  type PhaseFacts,
  phases,
  shownAs,
} from '../../../removal/erasure/machine.ts'

const blocks: readonly (Block | null)[] = [null, 'hold', 'move', 'callback']

const facts: fc.Arbitrary<PhaseFacts> = fc.record({
  blockedBy: fc.constantFrom(...blocks),
  isLeft: fc.boolean(),
})

describe('the phases of an erasure', () => {
  it('follow one another, each once it is done and nothing blocks it', () => {
    fc.assert(
      fc.property(fc.constantFrom(...phases), facts, (phase, found) => {
        const next = nextPhase(phase, found)
        const stays = found.isLeft || found.blockedBy !== null || phase === 'finish'
        assert.equal(phases.indexOf(next) - phases.indexOf(phase), stays ? 0 : 1)
      }),
    )
  })

  it('make all unreadable before any of them waits for an outcome', () => {
    const before = phases.slice(0, phases.indexOf('callbacks'))
    assert.deepEqual(before.slice(0, 4), ['waiting', 'shred', 'packages', 'scrub'])
  })

  it('say what they wait for, and look again within an hour', () => {
    assert.deepEqual(blocks.map(shownAs), [
      { status: 'scheduled', waitingFor: null },
      { status: 'blocked_by_hold', waitingFor: 'hold' },
      { status: 'scheduled', waitingFor: null },
      { status: 'scheduled', waitingFor: 'callback' },
    ])
    const aheadOf = (begunAt: number | null, now: number) =>
      blocks.flatMap((block) => (block ? checkAt(block, { now, begunAt }) - now : []))
    for (const ms of [...aheadOf(null, 5), ...aheadOf(5, 5), ...aheadOf(5, 5 + outcomesMs)])
      assert.ok(ms > 0 && ms <= 3_600_000)
    assert.deepEqual(new Set(aheadOf(5, 4 + outcomesMs)), new Set([1]))
  })
})
