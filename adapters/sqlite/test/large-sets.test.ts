import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChangeSet } from '@countersign/core/ports'
import {
  createEncoder,
  createStoreRules,
  type Encoder,
  encodeSet,
  rowCodec,
} from '@countersign/core/store-kit'
import { bodyEncoding } from '../body-encoding.ts'
import { encodeInTurns, isLarge, packInTurns } from '../large-sets.ts'
import { type Note, note, notes, openNotes, texts } from './notes.ts'
import { scratch } from './scratch.ts'

const name = scratch()

const encoder = createEncoder(notes, rowCodec(notes, bodyEncoding))

function setOf(count: number): ChangeSet & Required<Pick<ChangeSet, 'puts'>> {
  return {
    tenant: 't1',
    puts: Array.from({ length: count }, (_, at) => put(note(`n${at}`))),
    removes: [{ in: 'notes', key: ['t1', 'removed'], version: 3 }],
    checks: [{ in: 'notes', key: ['t1', 'checked'], version: 1 }],
    adds: [{ counter: 'c', delta: 1 }],
  }
}

const put = (row: Note) => ({ in: notes.name, row, was: null })

/** A turn that counts, and notes the most that was done in one. */
function countedTurns() {
  let most = 0
  let inTurn = 0
  return {
    did: (count = 1) => {
      inTurn += count
      most = Math.max(most, inTurn)
    },
    turn: async () => {
      inTurn = 0
    },
    most: () => most,
  }
}

const rules = createStoreRules({ collections: [notes], logs: [] })

test('a large set is checked and encoded a thousand rows in each turn, and means what it means at once', async () => {
  for (const count of [1_001, 2_000, 4_321]) {
    const turns = countedTurns()
    const counting: Encoder = {
      ...encoder,
      put(put) {
        turns.did()
        return encoder.put(put)
      },
    }
    const set = setOf(count)
    const encoded = await encodeInTurns(rules, () => counting, set, turns.turn)
    assert.deepEqual(
      encoded,
      encodeSet(() => encoder, set),
    )
    assert.equal(turns.most(), 1_000)
  }
})

test('a key that comes twice in a large set is found across turns', async () => {
  const set = setOf(2_500)
  const twice = { ...set, puts: [...set.puts, put(note('n3'))] }
  const removed: ChangeSet = {
    ...set,
    removes: [{ in: 'notes', key: ['t1', 'n7'], version: 1 }],
  }
  for (const faulty of [twice, removed])
    await assert.rejects(
      encodeInTurns(
        rules,
        () => encoder,
        faulty,
        async () => {},
      ),
      { code: 'malformed', message: /twice/ },
    )
})

test('writes are packed a thousand in each turn, all of them in order', async () => {
  const turns = countedTurns()
  const { writes } = encodeSet(() => encoder, setOf(3_456))
  const packed = await packInTurns(
    writes,
    (some) => {
      turns.did(some.length)
      return some
    },
    turns.turn,
  )
  assert.deepEqual(packed.flat(), writes)
  assert.equal(turns.most(), 1_000)
})

test('a thousand rows are no large set', () => {
  assert.equal(isLarge(setOf(1_000)), false)
  assert.equal(isLarge(setOf(1_001)), true)
})

for (const writerThread of [false, true])
  test(`a large set is written whole or not at all, ${writerThread ? 'on a thread' : 'on this thread'}`, async () => {
    const store = openNotes({ file: name(`large-${writerThread}.db`), writerThread })
    const puts = Array.from({ length: 2_500 }, (_, at) => put(note(`n${at}`, `text ${at}`)))
    assert.deepEqual(await store.commit({ tenant: 't1', puts }), { committed: true, ranges: [] })
    const again = [...puts.map(({ row }) => put({ ...row, noteId: `m${row.noteId}` })), puts[2_000]]
    const refused = await store.commit({ tenant: 't1', puts: again as typeof puts })
    assert.deepEqual(refused, {
      committed: false,
      conflicts: [{ in: 'notes', key: ['t1', 'n2000'], kind: 'version', now: 1 }],
    })
    assert.deepEqual(new Set(await texts(store)), new Set(puts.map(({ row }) => row.text)))
    const late = store.commit({ tenant: 't1', puts: again.slice(0, -1) as typeof puts })
    const refusal = assert.rejects(late, { code: 'closed' })
    await store.close()
    await refusal
  })
