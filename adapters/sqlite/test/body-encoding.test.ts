import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bodyEncoding } from '../body-encoding.ts'

test('a body has members under the names of what objects inherit', () => {
  for (const value of [1, 'text', null, { toJSON: 1 }]) {
    const scores = { constructor: value, toJSON: value, toString: value, valueOf: value }
    for (const body of [scores, { scores }, { scores: [scores] }])
      assert.deepEqual(bodyEncoding.unpack(bodyEncoding.pack(body)), body)
  }
})
