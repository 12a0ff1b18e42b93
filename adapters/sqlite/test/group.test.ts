import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import Database from 'better-sqlite3'
import { createGroup } from '../group.ts'
import { add, note, openNotes, texts } from './notes.ts'
import { recordingDatabase } from './recording.ts'
import { scratch } from './scratch.ts'

const name = scratch()

describe('group commit', () => {
  it('shares one transaction among what is asked in one turn, within its bound', async () => {
    for (const [most, expected] of [
      [500, 1],
      [100, 3],
    ] as const) {
      const { database, ran } = recordingDatabase(name('group.db'))
      const store = openNotes({ database, most })
      ran.length = 0
      await Promise.all(Array.from({ length: 300 }, (_, at) => add(store, note(`n${at}`))))
      assert.equal(ran.filter((sql) => sql === 'COMMIT').length, expected)
      assert.equal(ran.filter((sql) => sql === 'BEGIN IMMEDIATE').length, expected)
      await store.close()
      database.close()
    }
  })

  it('waits for company while turns bring more, and commits at once what comes alone', async () => {
    const { database, ran } = recordingDatabase(name('company.db'))
    const group = createGroup(database, 500, () => 0)
    const commits = () => ran.filter((sql) => sql === 'COMMIT').length
    const some = () => Array.from({ length: 30 }, () => group.run(() => null))
    await Promise.all(some())
    ran.length = 0
    const first = some()
    await new Promise(setImmediate)
    assert.equal(commits(), 0, 'a turn after a large group has brought more')
    await Promise.all([...first, ...some()])
    assert.equal(commits(), 1)
    await group.run(() => null)
    ran.length = 0
    const alone = group.run(() => null)
    await new Promise(setImmediate)
    assert.equal(commits(), 1)
    await alone
    database.close()
  })

  it('shares a sync among what comes turn by turn after a slow commit, not after a quick one', async () => {
    for (const [ms, expected] of [
      [400, 1],
      [1, 10],
    ] as const) {
      const { database, ran } = recordingDatabase(name('slow.db'))
      let time = 0
      const group = createGroup(database, 500, () => time)
      const slowly = () => {
        time += ms
      }
      await group.run(slowly)
      time += 1_000
      ran.length = 0
      // As connections are accepted: one a turn. The commits themselves take no time here.
      const all: Promise<unknown>[] = []
      for (let at = 0; at < 10; at++) {
        all.push(group.run(() => null))
        await new Promise(setImmediate)
      }
      await Promise.all(all)
      assert.equal(ran.filter((sql) => sql === 'COMMIT').length, expected, `${ms} ms`)
      database.close()
    }
  })

  it('takes two statements for a set of two puts, besides its savepoint', async () => {
    const { database, ran } = recordingDatabase(name('count.db'))
    const store = openNotes({ database })
    const puts = (version: number) =>
      ['a', 'b'].map((id) => ({
        in: 'notes',
        row: note(id, '', version + 1),
        was: version ? { row: note(id, '', version), version, leasedBy: null } : null,
      }))
    for (const version of [0, 1]) {
      ran.length = 0
      await store.commit({ tenant: 't1', puts: puts(version) })
      assert.deepEqual(
        ran.map((sql) => sql.split(' ')[0]),
        [
          'BEGIN',
          'SAVEPOINT',
          ...(version ? ['UPDATE', 'UPDATE'] : ['INSERT', 'INSERT']),
          'RELEASE',
          'COMMIT',
        ],
      )
    }
    assert.match(ran[2] ?? '', /SET "rank" = \?, "_leasedBy" = \?, _version/, 'writes what changed')
    await store.close()
    database.close()
  })

  it('tells a full disk to what does not fit, and to nobody else', async () => {
    const database = new Database(name('full.db'))
    const store = openNotes({ database })
    await add(store, note('before', 'before'))
    const pages = Number(database.pragma('page_count', { simple: true }))
    database.pragma(`max_page_count = ${pages + 20}`)
    const large = 'x'.repeat(400_000)
    const settled = await Promise.allSettled(
      Array.from({ length: 32 }, (_, at) =>
        add(store, note(`n${at}`, at === 21 ? large : 'small')),
      ),
    )
    assert.deepEqual(
      settled.flatMap((one, at) => (one.status === 'rejected' ? [[at, one.reason.code]] : [])),
      [[21, 'full']],
    )
    await assert.rejects(add(store, note('again', large)), { name: 'StoreError', code: 'full' })
    assert.equal((await texts(store)).length, 32)
    database.pragma('max_page_count = 1000000')
    await add(store, note('again', large))
    assert.equal((await texts(store)).length, 33)
    assert.equal(database.pragma('quick_check', { simple: true }), 'ok')
    await store.close()
    database.close()
  })

  it('refuses everyone when the commit itself fails, and writes nothing', async () => {
    const { database } = recordingDatabase(name('commit.db'))
    let broken = false
    const failing = {
      ...database,
      get inTransaction() {
        return database.inTransaction
      },
      prepare(sql: string) {
        const statement = database.prepare(sql)
        if (sql !== 'COMMIT') return statement
        return {
          ...statement,
          run() {
            if (broken)
              throw Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_FSYNC' })
            return statement.run()
          },
        }
      },
    }
    const store = openNotes({ database: failing })
    broken = true
    const settled = await Promise.allSettled(['a', 'b', 'c'].map((id) => add(store, note(id))))
    assert.deepEqual(
      settled.map((one) => one.status === 'rejected' && one.reason.code),
      ['io', 'io', 'io'],
    )
    broken = false
    assert.deepEqual(await texts(store), [])
    await add(store, note('a', 'after'))
    assert.deepEqual(await texts(store), ['after'])
    await store.close()
    database.close()
  })
})
