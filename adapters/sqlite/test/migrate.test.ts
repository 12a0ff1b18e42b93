import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Collection } from '@countersign/core/ports'
import type { Upgrade } from '@countersign/sqlite'
import Database from 'better-sqlite3'
import { takeSteps } from '../schema-steps.ts'
import { add, note, notes, openNotes, texts } from './notes.ts'
import { scratch } from './scratch.ts'

const name = scratch()

async function filled(): Promise<string> {
  const file = name('migrate.db')
  const store = openNotes({ file })
  const rows = Array.from({ length: 1200 }, (_, at) =>
    note(`n${String(at).padStart(4, '0')}`, `text ${at % 600}`, at % 7),
  )
  await add(store, ...rows)
  await store.close()
  return file
}

const unexpected = () => assert.fail('there is nothing to upgrade')

const withText: Collection = {
  ...notes,
  columns: { ...notes.columns, text: 'text', colour: 'text' },
  indexes: { byText: ['text', 'rank'] },
}

const other: Collection = {
  name: 'others',
  key: ['id'],
  columns: { id: 'text' },
  indexes: {},
  tenant: 'system',
  purge: { keep: 'made by a test' },
  retain: { keep: 'made by a test' },
}

describe('numbered steps', () => {
  const first = 'CREATE TABLE a (x)'
  const second = "ALTER TABLE a ADD COLUMN y; INSERT INTO a VALUES (1, 'second')"
  const taken = (db: Database.Database, steps: readonly string[]) => {
    takeSteps(db, { applicationId: 7, steps })
    return [db.pragma('user_version', { simple: true }), db.prepare('SELECT * FROM a').all()]
  }

  it('are taken from where a file is, each once', () => {
    const db = new Database(name('steps.db'))
    assert.deepEqual(taken(db, [first]), [1, []])
    assert.deepEqual(taken(db, [first, second]), [2, [{ x: 1, y: 'second' }]])
    assert.deepEqual(taken(db, [first, second]), [2, [{ x: 1, y: 'second' }]])
    assert.throws(() => taken(db, [first]), { code: 'incompatible', message: /at 2, ours at 1/ })
    db.close()
  })

  it('are refused of the file of another program', () => {
    const db = new Database(name('foreign.db'))
    db.exec('CREATE TABLE theirs (x)')
    assert.throws(() => taken(db, [first]), { code: 'incompatible', message: /another program/ })
    db.close()
  })
})

describe('a file that was made before', () => {
  it('gains collections, columns and indexes; members leave the bodies for their columns', async () => {
    const file = await filled()
    const told: Upgrade[] = []
    const onUpgrade = (one: Upgrade) => void told.push(one)
    const store = openNotes({ file, collections: [withText, other], onUpgrade })
    assert.deepEqual(told[0]?.changes, [
      'column text of notes',
      'column colour of notes',
      'index notes_byText',
      'index notes_byRank',
      'collection others',
    ])
    const before = openNotes({ file: told[0]?.backup ?? '', onUpgrade: unexpected })
    assert.equal((await texts(before)).length, 1200, 'the copy is what was there before')
    await before.close()
    const [found, count] = await store.read('t1', [
      { get: 'notes', key: ['t1', 'n0999'] },
      {
        list: 'notes',
        where: [['text', '=', 'text 5']],
        by: 'byText',
        newest: false,
        skip: 0,
        take: 9,
        count: true,
      },
    ])
    assert.deepEqual(found?.rows[0], {
      row: { ...note('n0999', 'text 399', 999 % 7), colour: null },
      version: 1,
      leasedBy: null,
    })
    assert.equal(count?.total, 2)
    await store.close()
    const raw = new Database(file, { readonly: true })
    assert.equal(raw.prepare('SELECT count(*) FROM notes WHERE _body IS NOT NULL').pluck().get(), 0)
    const indexes = raw
      .prepare(
        "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL ORDER BY name",
      )
      .pluck()
      .all()
    assert.deepEqual(indexes, ['notes_byText'], 'the index that is not declared any more is gone')
    raw.close()
    const again = { file, collections: [withText, other], onUpgrade: unexpected }
    await openNotes(again).close()
  })

  it('is refused, and left as it was, where it can not follow', async () => {
    const file = await filled()
    const { rank: _, ...columns } = notes.columns
    const cases: readonly (readonly [RegExp, readonly Collection[]])[] = [
      [/column rank .* not declared/, [{ ...notes, columns, indexes: {} }]],
      [/column rank .* INTEGER .* TEXT/, [{ ...notes, columns: { ...columns, rank: 'text' } }]],
      [/the key of collection notes/, [{ ...notes, key: ['noteId', 'tenantId'] }]],
      [/holds collection notes/, [other]],
      [/do not fit index notes_unique_text/, [{ ...withText, unique: { text: { on: ['text'] } } }]],
    ]
    for (const [message, collections] of cases)
      assert.throws(
        () =>
          openNotes({ file, collections: [other, ...collections.filter((one) => one !== other)] }),
        {
          code: 'incompatible',
          message,
        },
      )
    const raw = new Database(file)
    assert.equal(
      raw.prepare("SELECT count(*) FROM sqlite_schema WHERE name = 'others'").pluck().get(),
      0,
    )
    const store = openNotes({ file })
    assert.equal((await texts(store)).length, 1200)
    await store.close()
    raw.pragma('user_version = 99')
    raw.close()
    assert.throws(() => openNotes({ file }), { code: 'incompatible', message: /newer/ })
  })
})
