import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { comparePositions, type Position } from '@countersign/core/events'
import { fold } from '@countersign/receiver-kit'
import fc from 'fast-check'

const position = fc.record(
  { caseVersion: fc.integer({ min: 1, max: 6 }), eventSequence: fc.integer({ min: 1, max: 12 }) },
  { noNullPrototype: true },
)
const arrivals = fc.array(position, { minLength: 1, maxLength: 30 })

type FoldLike = (head: Position | null, event: Position) => { head: Position }

function headOf(events: readonly Position[], how: FoldLike): Position | null {
  return events.reduce<Position | null>((head, event) => how(head, event).head, null)
}

function converges(how: FoldLike): void {
  fc.assert(
    fc.property(arrivals, fc.infiniteStream(fc.nat()), (events, keys) => {
      const shuffled = [...events, ...events.slice(0, 5)]
        .map((event) => ({ event, key: keys.next().value ?? 0 }))
        .sort((a, b) => a.key - b.key)
        .map(({ event }) => event)
      const highest = [...events].sort(comparePositions).at(-1)
      assert.deepEqual(headOf(events, how), highest)
      assert.deepEqual(headOf(shuffled, how), highest)
    }),
  )
}

describe('fold', () => {
  it('ends at the highest event, whatever the order and the repeats', () => converges(fold))

  const mutants: Record<string, FoldLike> = {
    'takes the last that came': (_, event) => ({ head: event }),
    'looks at the sequence alone': (head, event) => ({
      head: head && head.eventSequence >= event.eventSequence ? head : event,
    }),
    'looks at the version alone': (head, event) => ({
      head: head && head.caseVersion >= event.caseVersion ? head : event,
    }),
  }
  for (const [name, mutant] of Object.entries(mutants))
    it(`would not, if it ${name}`, () => assert.throws(() => converges(mutant)))

  it('never lets the head fall, and says which of the three an event is', () => {
    fc.assert(
      fc.property(fc.option(position), position, (head, event) => {
        const result = fold(head, event)
        const order = head === null ? 1 : comparePositions(event, head)
        assert.equal(result.kind, order > 0 ? 'head' : order === 0 ? 'same' : 'stale')
        assert.deepEqual(result.head, order > 0 ? event : head)
        if (result.kind === 'head') assert.deepEqual(result.previous, head)
      }),
    )
  })

  it('counts the numbers that a new head skips', () => {
    const at = (caseVersion: number, eventSequence: number) => ({ caseVersion, eventSequence })
    const skipped = (head: Position | null, event: Position) => {
      const result = fold(head, event)
      return result.kind === 'head' ? result.skipped : result.kind
    }
    assert.equal(skipped(null, at(1, 1)), 0)
    assert.equal(skipped(null, at(3, 4)), 3)
    assert.equal(skipped(at(1, 1), at(2, 2)), 0)
    assert.equal(skipped(at(1, 1), at(3, 5)), 3)
    assert.equal(skipped(at(3, 5), at(2, 4)), 'stale')
    assert.equal(skipped(at(3, 5), at(3, 5)), 'same')
  })
})
