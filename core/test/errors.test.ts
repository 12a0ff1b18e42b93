import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CountersignError, RefusedError, unwrap } from '@countersign/core'
import { canonicalize } from '@countersign/core/internal'
import { StoreError } from '@countersign/core/ports'
import { loadSigningKey, portablePrimitives, SigningKeyError } from '@countersign/core/signing'

const refusal = { code: 'not_found', detail: 'no such case' } as const

const thrown: readonly (readonly [name: string, code: string, act: () => unknown])[] = [
  ['RefusedError', 'not_found', () => unwrap({ ok: false, refusal })],
  ['CanonicalizationError', 'no_canonical_form', () => canonicalize({ a: undefined })],
  ['SigningKeyError', 'unknown_prefix', () => loadSigningKey('nothing', portablePrimitives)],
]

for (const [name, code, act] of thrown)
  test(`${name} is a CountersignError with the code ${code}`, () => {
    assert.throws(act, (error) => {
      assert.ok(error instanceof CountersignError)
      assert.deepEqual([error.name, error.code], [name, code])
      return true
    })
  })

test('an error keeps its cause, and is told from those of other classes', () => {
  const cause = new Error('the disk')
  const error = new StoreError('io', 'the write failed', { cause })
  assert.ok(error instanceof CountersignError)
  assert.equal(error.cause, cause)
  assert.ok(!(error instanceof RefusedError) && !(error instanceof SigningKeyError))
})
