import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { canonicalize } from '../../base/canonical/canonicalize.ts'
import { contentIn, contentPrefix, contentSeparator } from '../../content/sealed-contents.ts'

const fields = ['input', 'output', 'attributes', 'metadata', 'submission'] as const
const text = fc
  .oneof(fc.jsonValue(), fc.constantFrom('\noutput "x"', 'input ', '\r\n', ''))
  .map((value) => canonicalize(['nonce', value]))

describe('contents that were sealed together', () => {
  it('are each found by their field, whatever the others hold', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.tuple(fc.constantFrom(...fields), text), {
          selector: ([field]) => field,
        }),
        (contents) => {
          const sealed = contents
            .map(([field, each]) => `${contentPrefix(field)}${each}`)
            .join(contentSeparator)
          for (const field of fields) {
            const [, expected = null] = contents.find(([name]) => name === field) ?? []
            assert.equal(contentIn(sealed, field), expected)
          }
        },
      ),
    )
  })
})
