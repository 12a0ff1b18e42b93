import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { sliceBytes } from '../answer-stream.ts'
import { jsonParts } from '../json-stream.ts'

const written = (value: unknown) => Buffer.concat([...jsonParts(value)]).toString()

describe('the parts of a large JSON answer', () => {
  it('together are what JSON.stringify makes of any data', () => {
    const data = fc.anything({ maxDepth: 7, withNullPrototype: false, values: leaves() })
    fc.assert(
      fc.property(data, (value) => {
        assert.equal(written({ value }), JSON.stringify({ value }))
      }),
    )
  })

  it('are no larger than a slice and one value of a list', () => {
    const steps = Array.from({ length: 3_000 }, (_, at) => ({ at, text: 'x'.repeat(1_000) }))
    const parts = [...jsonParts({ steps })]
    assert.ok(parts.length > 40)
    for (const part of parts) assert.ok(part.length < sliceBytes + 1_100, `${part.length}`)
  })
})

function leaves(): fc.Arbitrary<unknown>[] {
  return [
    fc.string({ unit: 'grapheme' }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constantFrom(null, undefined, '\u2028"\\', 0, ''),
  ]
}
