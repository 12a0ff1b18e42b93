import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createMemoryStore } from '@countersign/core/testing'
import type { ChangeSet, Collection } from '../../base/ports/store.ts'
import { createKeptAnswers } from '../../kernel/kept-answers.ts'
import {
  changeReads,
  changesIn,
  countedRows,
  withChangeCounts,
} from '../../kernel/ledger/change-counts.ts'
import type { Pieces } from '../../kernel/ledger/listing.ts'
import { sharedPieces } from '../../kernel/ledger/shared-pieces.ts'

const seen = { changes: '1', now: 1_000 }

describe('kept answers', () => {
  /** Asks under one key, and answers how often it was made. */
  function counting(most?: number) {
    const kept = createKeptAnswers(most)
    let made = 0
    const ask = (more: Partial<typeof seen> = {}, until = Number.POSITIVE_INFINITY, key = 'key') =>
      kept.of([key], { ...seen, ...more }, async () => ({ answer: ++made, until }))
    return ask
  }

  it('are made once for all who ask while nothing changed', async () => {
    const ask = counting()
    assert.deepEqual(await Promise.all([ask(), ask(), ask()]), [1, 1, 1])
    assert.equal(await ask({ now: 1_001 }), 1)
    assert.equal(await ask({ changes: '2' }), 2)
    assert.equal(await ask({ changes: '2' }), 2)
    // An older count is another one, too.
    assert.equal(await ask(), 3)
  })

  it('end with their time, a minute after they were made, and where the clock was set back', async () => {
    const ask = counting()
    assert.equal(await ask({}, 2_000), 1)
    assert.equal(await ask({ now: 1_999 }, 2_000), 1)
    assert.equal(await ask({ now: 2_000 }), 2)
    assert.equal(await ask({ now: 61_999 }), 2)
    assert.equal(await ask({ now: 62_000 }), 3)
    assert.equal(await ask({ now: 61_000 }), 4)
    assert.equal(await ask({ now: 61_500 }, 0), 4)
    assert.equal(await ask({ changes: '2' }, 0), 5)
    assert.equal(await ask({ changes: '2' }, 0), 6)
  })

  it('are forgotten beyond a number of rows, the oldest first', async () => {
    const ask = counting(2)
    for (const key of ['a', 'b', 'c']) await ask({}, undefined, key)
    assert.equal(await ask({}, undefined, 'c'), 3)
    assert.equal(await ask({}, undefined, 'b'), 2)
    assert.equal(await ask({}, undefined, 'a'), 4)
  })

  it('are none where they could not be made', async () => {
    const kept = createKeptAnswers()
    const fail = () => kept.of(['key'], seen, () => Promise.reject(new Error('unreadable')))
    const failed = await Promise.allSettled([fail(), fail()])
    assert.deepEqual(
      failed.map(({ status }) => status),
      ['rejected', 'rejected'],
    )
    const made = await kept.of(['key'], seen, async () => ({ answer: 'made', until: 2_000 }))
    assert.equal(made, 'made')
  })
})

describe('shared pieces', () => {
  it('are read once for several readers, each of whom is checked before it reads', async () => {
    let reads = 0
    const source: Pieces<number> = {
      [Symbol.asyncIterator]: () => source,
      async next() {
        reads++
        if (reads === 2) throw new Error('unreadable')
        return reads > 3 ? { done: true, value: 'end' } : { done: false, value: [reads] }
      },
    }
    const shared = sharedPieces(source)
    let checks = 0
    const checked = async () => void checks++
    const [one, other] = [shared(checked), shared(checked)]
    assert.deepEqual(
      (await Promise.all([one.next(), other.next()])).map(({ value }) => value),
      [[1], [1]],
    )
    await assert.rejects(one.next(), /unreadable/)
    assert.deepEqual(await one.next(), { done: false, value: [3] })
    assert.deepEqual(await one.next(), { done: true, value: 'end' })
    const before = checks
    assert.deepEqual(await other.next(), { done: false, value: [3] })
    assert.deepEqual(await other.next(), { done: true, value: 'end' })
    assert.deepEqual(await other.next(), { done: true, value: 'end' })
    assert.deepEqual([reads, checks], [4, before])
    const refused = shared(async () => {
      throw new Error('refused')
    })
    // What is there needs no read.
    assert.deepEqual(await refused.next(), { done: false, value: [1] })
    await assert.rejects(sharedPieces(source)(() => Promise.reject(new Error('refused'))).next(), {
      message: 'refused',
    })
  })
})

describe('a store that counts changes', () => {
  interface Note {
    readonly tenantId: string
    readonly noteId: string
    readonly text: string
  }
  const notes: Collection<Note> = {
    ...{ name: 'notes', key: ['noteId'], columns: { tenantId: 'text', noteId: 'text' } },
    ...{ indexes: {}, tenant: 'tenantId', purge: { keep: 'for the test' } },
    retain: { keep: 'for the test' },
  }
  const counted = {
    name: 'notes',
    rows: [countedRows(notes, (row, was) => row.text !== was?.text)],
  }

  it('counts for the organization whose rows change, and for all where a set does not name it', async () => {
    const store = withChangeCounts(createMemoryStore({ collections: [notes], logs: [] }), [counted])
    const of = async (tenantId: string) =>
      changesIn(await store.read(tenantId, changeReads(counted, tenantId)))
    const row = (tenantId: string, text: string) => ({ tenantId, noteId: `${tenantId}-1`, text })
    const write = async (set: Omit<ChangeSet, 'tenant'>, tenant: string | null = null) =>
      assert.equal((await store.commit({ tenant, ...set })).committed, true)
    const put = (text: string, version: number) => ({
      puts: [
        {
          ...{ in: 'notes', row: row('one', text) },
          was: version > 0 ? { row: row('one', 'first'), version, leasedBy: null } : null,
        },
      ],
    })
    await write(put('first', 0))
    assert.deepEqual([await of('one'), await of('other')], ['1,0', '0,0'])
    await write(put('first', 1), 'one')
    assert.equal(await of('one'), '1,0')
    await write(put('second', 2), 'one')
    assert.equal(await of('one'), '2,0')
    assert.equal((await store.commit({ tenant: 'one', ...put('third', 2) })).committed, false)
    assert.equal(await of('one'), '2,0')
    await write({ removes: [{ in: 'notes', key: ['one-1'], version: 3 }] }, 'one')
    assert.deepEqual([await of('one'), await of('other')], ['3,0', '0,0'])
    await write({ ranges: [{ in: 'notes', where: [], after: null, window: 10 }] })
    assert.deepEqual([await of('one'), await of('other')], ['3,1', '0,1'])
    await store.close()
  })
})
