import assert from 'node:assert/strict'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { describe, it } from 'node:test'
import type { SqliteStore } from '@countersign/sqlite'
import {
  backupDatabase,
  checkDatabase,
  foldAlone,
  highWaterOf,
  lockDatabase,
  lockFileOf,
  markFileOf,
  openSqliteInbox,
  replaceDatabase,
} from '@countersign/sqlite'
import Database from 'better-sqlite3'
import { add, note, openNotes, texts } from './notes.ts'
import { scratch } from './scratch.ts'
import { openLedger, ways, write } from './writer.ts'

const name = scratch()
const posix = process.platform !== 'win32'

describe('files of a store', () => {
  it('are private, the write-ahead log, its index, the mark and copies too', {
    skip: !posix && 'no modes',
  }, async () => {
    const file = name('private.db')
    const mask = process.umask(0o022)
    const store = openNotes({ file, writerThread: true })
    await add(store, note('a'))
    await store.mark(5)
    const copy = name('copy.db')
    backupDatabase({ file, to: copy })
    process.umask(mask)
    for (const made of [file, `${file}-wal`, `${file}-shm`, markFileOf(file), copy])
      assert.equal(statSync(made).mode & 0o777, 0o600, made)
    await store.close()

    const inboxFile = name('inbox.db')
    const inbox = openSqliteInbox({ file: inboxFile })
    assert.deepEqual(await inbox.has(['evt_1']), [false])
    for (const made of [inboxFile, `${inboxFile}-wal`, `${inboxFile}-shm`])
      assert.equal(statSync(made).mode & 0o777, 0o600, made)
    await inbox.close()
  })

  it('keep the mode that their owner gave them', { skip: !posix && 'no modes' }, async () => {
    const file = name('given.db')
    writeFileSync(file, '', { mode: 0o640 })
    chmodSync(file, 0o640)
    await openNotes({ file }).close()
    assert.equal(statSync(file).mode & 0o777, 0o640)
  })
})

describe('a high-water mark', () => {
  for (const [how, writerThread] of ways)
    it(`rises with writes, never falls, and is in the file once it is in the database${how}`, async () => {
      const file = name('marked.db')
      const store: SqliteStore = openNotes({ file, writerThread })
      assert.deepEqual(highWaterOf(file), { kept: 0, marked: 0 })
      await store.mark(1_000)
      assert.deepEqual(highWaterOf(file), { kept: 1_000, marked: 1_000 })
      await add(store, note('a'))
      await store.mark(500)
      assert.deepEqual(highWaterOf(file), { kept: 1_001, marked: 1_001 })
      await add(store, note('b'))
      await store.mark(2_000)
      await store.mark(3_000)
      const { kept, marked } = highWaterOf(file)
      assert.equal(kept, marked)
      assert.equal(kept, 2_000, 'nothing was written in between')
      await store.close()
    })

  for (const [how, writerThread] of ways)
    it(`covers what was written while the one before was raised, at any moment${how}`, async () => {
      const file = name('between.db')
      const store: SqliteStore = openNotes({ file, writerThread })
      for (let turns = 1; turns < 24; turns++) {
        const at = turns * 1_000
        const marking = store.mark(at)
        for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate)
        await Promise.all([marking, add(store, note(`n${turns}`))])
        await store.mark(at + 500)
        assert.equal(highWaterOf(file).marked, at + 500, `${turns} turns after its start`)
      }
      await store.close()
    })

  it('tells a log that was cut or removed, an older copy, and a database that is gone', async () => {
    const file = name('cut.db')
    const store = openNotes({ file })
    await store.mark(1_000)
    const older = name('older.db')
    backupDatabase({ file, to: older })
    const [early, late] = [name('early.db'), name('late.db')]
    const copyTo = (to: string) => {
      for (const suffix of ['', '-wal', '.mark']) copyFileSync(`${file}${suffix}`, `${to}${suffix}`)
    }
    copyTo(early)
    const size = statSync(`${file}-wal`).size
    await add(store, note('a'))
    await store.mark(2_000)
    copyTo(late)
    await store.close()
    assert.deepEqual(checkDatabase(late).problems, [])

    truncateSync(`${late}-wal`, size)
    const lost =
      /has lost writes: it was last marked 1970-01-01T00:00:01.000Z, the mark beside it says 1970-01-01T00:00:02.000Z/
    assert.match(checkDatabase(late).problems[0] ?? '', lost)
    rmSync(`${late}-shm`, { force: true })
    copyFileSync(older, file)
    assert.match(checkDatabase(file).problems[0] ?? '', lost)
    rmSync(file)
    assert.match(checkDatabase(file).problems[0] ?? '', /there is no database .* was moved away/)
    assert.equal(existsSync(file), false)
  })

  it('is refused when it is not one', () => {
    const file = name('odd.db')
    writeFileSync(markFileOf(file), '{"highWater":-1}')
    assert.throws(() => highWaterOf(file), { code: 'corrupt', message: /is no high-water mark/ })
  })
})

describe('a check', () => {
  it('finds a changed, a missing and a cut entry of a log, and tells heads', async () => {
    const file = name('chained.db')
    const store = openLedger(file)
    for (let number = 1; number <= 5; number++) await write(store, 'w', number)
    await store.close()
    const sound = checkDatabase(file)
    assert.deepEqual(sound.problems, [])
    assert.deepEqual(
      sound.logs.map(({ log, partition, entries }) => [log, partition, entries]),
      [['chain', 'all', 5]],
    )
    for (const [sql, message] of [
      ["UPDATE _logs SET entry = x'07' WHERE position = 3", /entry 3 is not what was linked/],
      ['UPDATE _logs SET hash = zeroblob(32) WHERE position = 2', /entry 2 is not what was linked/],
      ['DELETE FROM _logs WHERE position = 2', /entry 2 is missing, 3 follows/],
    ] as const) {
      const copy = name('changed.db')
      copyFileSync(file, copy)
      const raw = new Database(copy)
      raw.exec(sql)
      raw.close()
      assert.match(checkDatabase(copy).problems.join(), message)
    }
    const cut = name('cut-log.db')
    copyFileSync(file, cut)
    const raw = new Database(cut)
    raw.exec('DELETE FROM _logs WHERE position = 5')
    raw.close()
    const [head] = checkDatabase(cut).logs
    assert.notEqual(head?.hash, sound.logs[0]?.hash, 'a cut shows by a head that was kept')
  })

  it('finds damaged pages, and refuses what is no store', async () => {
    const file = name('damaged.db')
    const store = openNotes({ file })
    await add(store, ...Array.from({ length: 400 }, (_, at) => note(`n${at}`, 'x'.repeat(200))))
    await store.close()
    const bytes = readFileSync(file)
    bytes.fill(0xee, 4096 * 10, 4096 * 12)
    writeFileSync(file, bytes)
    const told = () => {
      const { problems } = checkDatabase(file)
      if (problems.length > 0) throw new Error(problems.join())
    }
    assert.throws(told)
    const foreign = name('foreign.db')
    const other = new Database(foreign)
    other.pragma('application_id = 77')
    other.close()
    assert.throws(() => checkDatabase(foreign), { code: 'incompatible' })
  })
})

describe('a database that takes the place of another', () => {
  it('is refused while the other is open, and keeps it aside with its log', async () => {
    const [file, by, aside] = [name('place.db'), name('by.db'), name('aside.db')]
    const store = openNotes({ file })
    await add(store, note('a', 'old'))
    assert.throws(() => foldAlone(file), { code: 'busy', message: /stop it first/ })
    await store.close()
    const next = openNotes({ file: by })
    await add(next, note('a', 'new'))
    await next.close()
    foldAlone(by)
    // As a killed process leaves them.
    writeFileSync(`${file}-wal`, 'a log')
    writeFileSync(`${file}-shm`, 'its index')
    replaceDatabase(file, by, aside)
    assert.deepEqual([existsSync(`${file}-wal`), existsSync(`${file}-shm`)], [false, false])
    assert.equal(readFileSync(`${aside}-wal`, 'utf8'), 'a log')
    rmSync(`${aside}-wal`)
    for (const [at, text] of [
      [file, 'new'],
      [aside, 'old'],
    ] as const) {
      const opened = openNotes({ file: at })
      assert.deepEqual(await texts(opened), [text])
      await opened.close()
    }
  })

  it('is read as one snapshot while others write', async () => {
    const file = name('online.db')
    const store = openLedger(file, true)
    let writing = true
    const writer = (async () => {
      for (let number = 0; writing; number++) await write(store, 'w', number)
    })()
    await write(store, 'first', 1)
    for (let copies = 0; copies < 3; copies++) {
      const to = name('copy.db')
      backupDatabase({ file, to })
      const raw = new Database(to, { readonly: true })
      const [count, entries, rows] = [
        "SELECT value FROM _counters WHERE name = 'writes'",
        'SELECT count(*) FROM _logs',
        'SELECT count(*) FROM writes',
      ].map((sql) => raw.prepare(sql).pluck().get())
      assert.deepEqual([entries, rows], [count, count])
      raw.close()
      assert.deepEqual(checkDatabase(to).problems, [])
      await new Promise(setImmediate)
    }
    writing = false
    await writer
    await store.close()
    assert.throws(() => backupDatabase({ file, to: file }), { code: 'malformed' })
    renameSync(file, `${file}.away`)
    assert.throws(() => backupDatabase({ file, to: name('none.db') }), { code: 'io' })
  })
})

describe('the lock of a database', () => {
  it('is shared by servers, and held alone by who replaces the file', () => {
    const file = name('locked.db')
    const [one, two] = [lockDatabase(file, 'shared', 0), lockDatabase(file, 'shared', 0)]
    const alone = () => lockDatabase(file, 'alone', 0)
    const isBusy = { code: 'busy', message: /another process has .* open: stop it first/ }
    assert.throws(alone, isBusy)
    one.release()
    assert.throws(alone, isBusy)
    two.release()
    const held = alone()
    assert.throws(alone, isBusy)
    assert.throws(() => lockDatabase(file, 'shared', 0), {
      code: 'busy',
      message: /is being restored: start again/,
    })
    held.release()
    lockDatabase(file, 'shared', 0).release()
    assert.equal(statSync(lockFileOf(file)).size, 0)
  })
})
