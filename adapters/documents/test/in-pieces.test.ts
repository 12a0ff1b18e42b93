import assert from 'node:assert/strict'
import { test } from 'node:test'
import { printedEvidence } from '@countersign/core/evidence'
import { sampleEvidence } from '@countersign/core/testing'
import fc from 'fast-check'
import { gatherPieces, type Piece, piecesOf } from '../pdf/in-pieces.ts'
import type { Reduced } from '../pdf/without-unprinted.ts'

const sample = printedEvidence(sampleEvidence({ steps: 7 }))

function documentOf(steps: number, flags: number): Reduced {
  const [step] = sample.steps
  assert.ok(step)
  return {
    kind: 'printed-evidence',
    document: {
      ...sample,
      steps: Array.from({ length: steps }, (_, at) => ({ ...step, stepId: `${at}` })),
      scores: Array.from({ length: flags }, (_, at) => ({
        name: `${at}`,
        value: at,
        label: null,
        stepId: null,
      })),
    },
  }
}

test('a document in pieces of 500 items is whole again, one after another', () => {
  const sizes = fc.array(fc.tuple(fc.nat(1_600), fc.nat(1_600)), { minLength: 1, maxLength: 3 })
  const isTaken = (split: (document: Reduced) => Iterable<Piece>) => {
    const gather = gatherPieces()
    return (documents: readonly (readonly [number, number])[]) => {
      for (const [steps, flags] of documents) {
        const document = documentOf(steps, flags)
        const pieces = [...split(document)].map((piece) => structuredClone(piece))
        assert.ok(pieces.every((piece) => !('items' in piece) || piece.items.length <= 500))
        const gathered = pieces.map(gather)
        assert.deepEqual(gathered.pop(), document)
        assert.ok(gathered.every((each) => each === null))
      }
    }
  }
  fc.assert(fc.property(sizes, isTaken(piecesOf)), { numRuns: 30 })
  const losing = (document: Reduced) => [...piecesOf(document)].slice(-2)
  assert.throws(() => fc.assert(fc.property(fc.constant([[1_600, 0]] as const), isTaken(losing))))
})

test('a document of which the last pieces did not come leaves nothing in the next one', () => {
  const sizes = fc.tuple(fc.integer({ min: 501, max: 1_600 }), fc.nat(1_600), fc.nat(1_600))
  fc.assert(
    fc.property(sizes, fc.integer({ min: 1, max: 3 }), ([broken, steps, flags], came) => {
      const gather = gatherPieces()
      for (const piece of [...piecesOf(documentOf(broken, 0))].slice(0, came)) gather(piece)
      const document = documentOf(steps, flags)
      assert.deepEqual([...piecesOf(document)].map(gather).pop(), document)
    }),
    { numRuns: 30 },
  )
})
