import assert from 'node:assert/strict'
import { copyFileSync, renameSync, statSync, unlinkSync } from 'node:fs'
import { describe, it } from 'node:test'
import Database from 'better-sqlite3'
import { add, note, openNotes } from './notes.ts'
import { recordingDatabase } from './recording.ts'
import { scratch } from './scratch.ts'

const name = scratch()

describe('a probe of a store', () => {
  for (const writerThread of [false, true])
    it(`passes again and again, and leaves one row${writerThread ? ', with a thread that writes' : ''}`, async () => {
      const file = name('probed.db')
      const store = openNotes({ file, writerThread })
      for (let times = 0; times < 5; times++) await store.probe()
      const { databaseBytes, walBytes, freeDiskBytes } = store.files()
      assert.equal(databaseBytes, statSync(file).size)
      assert.equal(walBytes, statSync(`${file}-wal`).size)
      assert.ok(walBytes > 0 && freeDiskBytes > 0)
      const raw = new Database(file, { readonly: true })
      assert.equal(raw.prepare('SELECT count(*) FROM _probes').pluck().get(), 1)
      raw.close()
      await store.close()
    })

  it('tells a full disk on which a small write still finds room', async () => {
    const database = new Database(name('full.db'))
    const store = openNotes({ database })
    await add(store, note('a'))
    const pages = Number(database.pragma('page_count', { simple: true }))
    database.pragma(`max_page_count = ${pages}`)
    await add(store, note('b'))
    await assert.rejects(store.probe(), { name: 'StoreError', code: 'full' })
    database.pragma('max_page_count = 1000000')
    await store.probe()
    await store.close()
    database.close()
  })

  it('tells a file that was moved away, removed or replaced, and passes once it is back', async () => {
    const file = name('moved.db')
    const store = openNotes({ file, writerThread: true })
    await store.probe()
    const away = `${file}.away`
    renameSync(file, away)
    await assert.rejects(store.probe(), { code: 'io', message: /moved away or removed/ })
    copyFileSync(away, file)
    await assert.rejects(store.probe(), { code: 'io', message: /replaced by another file/ })
    renameSync(away, file)
    await store.probe()
    unlinkSync(file)
    await assert.rejects(store.probe(), { code: 'io', message: /moved away or removed/ })
    await store.close()
  })

  it('tells reads that do not see what was written', async () => {
    const { database } = recordingDatabase(name('behind.db'))
    const prepare = (sql: string) => {
      const statement = database.prepare(sql)
      const behind = { ...statement, raw: () => ({ ...statement, get: () => [0] }) }
      return /^SELECT .* FROM _probes$/.test(sql) ? behind : statement
    }
    const store = openNotes({ database: Object.assign(Object.create(database), { prepare }) })
    await assert.rejects(store.probe(), { code: 'io', message: /0 of 1/ })
    await store.close()
    database.close()
  })
})
