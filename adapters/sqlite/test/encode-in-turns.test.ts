import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChangeSet } from '@countersign/core/ports'
import { type Encoder, encodeSet } from '@countersign/core/store-kit'
import { encodeInTurns } from '../encode-in-turns.ts'

const encoder: Encoder = {
  put: ({ in: name, row }) => ({
    ...{ in: name, kind: 'insert', version: 0, columns: [], unique: null },
    key: [(row as { id: number }).id],
    values: [],
  }),
  remove: (key, version) => ({
    ...{ in: 'notes', kind: 'remove', key, version },
    ...{ columns: [], values: [], unique: null },
  }),
}

function setOf(count: number): ChangeSet {
  const puts = Array.from({ length: count }, (_, id) => ({ in: 'notes', row: { id }, was: null }))
  return {
    tenant: 'ten_1',
    puts,
    removes: [{ in: 'notes', key: [-1], version: 3 }],
    checks: [{ in: 'notes', key: [-2], version: 1 }],
    adds: [{ counter: 'c', delta: 1 }],
  }
}

test('a set of many rows is encoded a thousand in each turn, and means what it means at once', async () => {
  let inTurn = 0
  let most = 0
  const counting: Encoder = {
    ...encoder,
    put(put) {
      most = Math.max(most, ++inTurn)
      return encoder.put(put)
    },
  }
  for (const count of [1_001, 2_000, 4_321]) {
    const set = setOf(count)
    const encoded = await encodeInTurns(
      () => counting,
      set,
      async () => {
        inTurn = 0
      },
    )
    assert.deepEqual(
      encoded,
      encodeSet(() => encoder, set),
    )
    inTurn = 0
  }
  assert.equal(most, 1_000)
})

test('a small set is left to be encoded at once', () => {
  assert.equal(
    encodeInTurns(() => encoder, setOf(1_000)),
    null,
  )
})
