import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Collection, Key, Store, Versioned } from '@countersign/core/ports'
import { openSqliteStore } from '@countersign/sqlite'
import { type Job, jobs } from './jobs.ts'
import { type Note, note, notes } from './notes.ts'
import { scratch } from './scratch.ts'

const name = scratch()

const collections = [notes, jobs] as readonly unknown[] as readonly Collection[]
const open = (file: string) => openSqliteStore({ file, collections, logs: [] })

async function read(store: Store, from: string, key: Key): Promise<Versioned | undefined> {
  const [found] = await store.read(null, [{ get: from, key }])
  return found?.rows[0]
}

const readNote = async (store: Store, id: string) => await read(store, notes.name, ['t1', id])
const textOf = (found: Versioned | undefined) => (found?.row as Note | undefined)?.text

function putNote(store: Store, text: string, was: Versioned | null) {
  return store.commit({ tenant: 't1', puts: [{ in: notes.name, row: note('a', text), was }] })
}

describe('rows that were read before', () => {
  it('are the same object, until somebody writes', async () => {
    const store = open(name('same.db'))
    await putNote(store, 'one', null)
    const first = await readNote(store, 'a')
    assert.equal(await readNote(store, 'a'), first)
    await putNote(store, 'two', first ?? null)
    assert.equal(textOf(await readNote(store, 'a')), 'two')
    await store.close()
  })

  it('are read anew each time where they are large', async () => {
    const store = open(name('large.db'))
    await putNote(store, 'x'.repeat(100_000), null)
    const first = await readNote(store, 'a')
    const second = await readNote(store, 'a')
    assert.notEqual(second, first)
    assert.deepEqual(second, first)
    await store.close()
  })

  it('are read anew after a put, a remove and a range of this store', async () => {
    const store = open(name('own.db'))
    await putNote(store, 'one', null)
    const first = (await readNote(store, 'a')) as Versioned
    await store.commit({
      tenant: 't1',
      removes: [{ in: notes.name, key: ['t1', 'a'], version: first.version }],
    })
    assert.equal(await readNote(store, 'a'), undefined)
    await putNote(store, 'again', null)
    assert.equal(textOf(await readNote(store, 'a')), 'again')
    await store.commit({
      tenant: 't1',
      ranges: [{ in: notes.name, where: [], after: null, window: 10 }],
    })
    assert.equal(await readNote(store, 'a'), undefined)
    await store.close()
  })

  it('are read anew after they were found absent and then put, here or by another connection', async () => {
    const file = name('absent.db')
    const [store, other] = [open(file), open(file)]
    for (const reader of [store, other]) assert.equal(await readNote(reader, 'a'), undefined)
    await putNote(store, 'one', null)
    for (const reader of [store, other]) assert.equal(textOf(await readNote(reader, 'a')), 'one')
    await Promise.all([store.close(), other.close()])
  })

  it('are read anew after a claim', async () => {
    const store = open(name('claimed.db'))
    const row: Job = { lane: 'l', jobId: 'j', due: 5, claims: 0 }
    await store.commit({ tenant: null, puts: [{ in: jobs.name, row, was: null }] })
    assert.equal((await read(store, jobs.name, ['l', 'j']))?.version, 1)
    const asks = [{ lane: 'l', take: 1 }]
    await store.claim({ in: jobs.name, asks, now: 5, leaseUntil: 9, owner: 'me' })
    const claimed = await read(store, jobs.name, ['l', 'j'])
    assert.deepEqual([claimed?.version, claimed?.leasedBy], [2, 'me'])
    await store.close()
  })

  it('are read anew after a commit of another connection, also together with others', async () => {
    const file = name('shared.db')
    const [store, other] = [open(file), open(file)]
    await putNote(store, 'one', null)
    const first = (await readNote(store, 'a')) as Versioned
    assert.equal(textOf(await readNote(other, 'a')), 'one')
    await putNote(other, 'two', first)
    assert.equal(textOf(await readNote(store, 'a')), 'two')
    await putNote(store, 'three', (await readNote(store, 'a')) as Versioned)
    const key = ['t1', 'a'] as const
    const both = await other.read('t1', [
      { get: notes.name, key },
      { get: notes.name, key: ['t1', 'b'] },
    ])
    assert.deepEqual(
      both.map(({ rows }) => textOf(rows[0])),
      ['three', undefined],
    )
    await Promise.all([store.close(), other.close()])
  })

  it('are shown to their own tenant alone', async () => {
    const store = open(name('tenants.db'))
    await putNote(store, 'one', null)
    await readNote(store, 'a')
    const [found] = await store.read('t2', [{ get: notes.name, key: ['t1', 'a'] }])
    assert.deepEqual(found?.rows, [])
    await store.close()
  })
})
