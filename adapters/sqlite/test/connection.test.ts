import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import Database from 'better-sqlite3'
import { isSafeVersion } from '../connection.ts'
import { add, note, openNotes, texts } from './notes.ts'
import { scratch } from './scratch.ts'

const name = scratch()

describe('a connection', () => {
  it('syncs in full on the second open too, where the driver would not', async () => {
    const file = name('sync.db')
    await openNotes({ file }).close()
    const plain = new Database(file)
    assert.equal(plain.pragma('synchronous', { simple: true }), 1, "the driver's own default")
    plain.close()
    const database = new Database(file)
    const store = openNotes({ database })
    const pragmas = [
      'synchronous',
      'journal_mode',
      'foreign_keys',
      'trusted_schema',
      'temp_store',
      'secure_delete',
      'busy_timeout',
    ]
    assert.deepEqual(
      pragmas.map((pragma) => database.pragma(pragma, { simple: true })),
      [2, 'wal', 1, 0, 2, 1, 5000],
    )
    await store.close()
    assert.ok(database.open, 'a database that was given is left open')
    database.close()
  })

  it('refuses versions of SQLite that lose commits', () => {
    const versions = { '3.7.0': false, '3.44.5': false, '3.44.6': true, '3.45.0': false }
    const more = { '3.50.6': false, '3.50.7': true, '3.51.0': false, '3.51.2': false }
    const last = { '3.51.3': true, '3.52.0': true, '3.53.2': true, '4.0.0': true, '2.8.17': false }
    for (const [version, safe] of Object.entries({ ...versions, ...more, ...last }))
      assert.equal(isSafeVersion(version), safe, version)
    const real = new Database(name('old.db'))
    const old = new Proxy(real, {
      get(target, member) {
        if (member === 'prepare') return () => ({ pluck: () => ({ get: () => '3.49.2' }) })
        return Reflect.get(target, member)
      },
    })
    assert.throws(() => openNotes({ database: old }), { code: 'incompatible', message: /3\.49\.2/ })
    real.close()
  })

  it('refuses what keeps nothing or is not ours', async () => {
    assert.throws(() => openNotes({}), { code: 'malformed' })
    assert.throws(() => openNotes({ file: ':memory:' }), { code: 'incompatible' })
    assert.throws(() => openNotes({ file: '/nowhere/at/all.db' }))
    const foreign = name('foreign.db')
    const other = new Database(foreign)
    other.exec('CREATE TABLE theirs (x)')
    other.close()
    assert.throws(() => openNotes({ file: foreign }), {
      code: 'incompatible',
      message: /another program/,
    })
    const reading = new Database(foreign, { readonly: true })
    assert.throws(() => openNotes({ database: reading }), { code: 'incompatible' })
    reading.close()
  })

  it('refuses a file that is damaged', async () => {
    const file = name('damaged.db')
    const store = openNotes({ file })
    await add(store, ...Array.from({ length: 200 }, (_, at) => note(`n${at}`, 'x'.repeat(200))))
    await store.close()
    const bytes = readFileSync(file)
    bytes.fill(0xee, 4096 * 4, 4096 * 6)
    writeFileSync(file, bytes)
    assert.throws(() => openNotes({ file }), { code: 'corrupt' })
    writeFileSync(
      file,
      'this is no database, but a text that is long enough to be looked at'.repeat(99),
    )
    assert.throws(() => openNotes({ file }), { code: 'corrupt' })
  })

  it('waits for another writer, then says busy, and goes on when it may', async () => {
    const file = name('busy.db')
    const store = openNotes({ file, busyTimeoutMs: 5 })
    const other = new Database(file)
    other.exec('BEGIN IMMEDIATE')
    await assert.rejects(add(store, note('a')), { name: 'StoreError', code: 'busy' })
    other.exec('COMMIT')
    assert.deepEqual(await add(store, note('a', 'kept')), { committed: true, ranges: [] })
    assert.deepEqual(await texts(store), ['kept'])

    other.exec('BEGIN')
    other.prepare('SELECT count(*) FROM notes').get()
    await add(store, note('b'))
    await assert.rejects(store.scrub(), { code: 'busy' })
    other.exec('COMMIT')
    await store.scrub()
    other.close()
    await store.close()
  })

  it('moves the write-ahead log into the file when asked', async () => {
    const store = openNotes({ file: name('checkpoint.db') })
    await add(store, note('a'))
    const { pages, moved } = store.checkpoint()
    assert.ok(pages > 0)
    assert.equal(moved, pages)
    await store.close()
  })
})
