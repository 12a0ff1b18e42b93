import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  type Collection,
  type Inbox,
  type InboxEntry,
  type Store,
  StoreError,
} from '@countersign/core/ports'
import {
  openSqliteInbox,
  openSqliteStore,
  type SqliteDatabase,
  type SqliteStatement,
  type SqliteStore,
} from '@countersign/sqlite'
import Database from 'better-sqlite3'
import { contentsOf, type Fault, faults, faultyDatabase } from './faulty.ts'
import { jobs } from './jobs.ts'
import { type Note, note, notes } from './notes.ts'
import { scratch } from './scratch.ts'

const name = scratch()
const collections = [notes, jobs] as readonly unknown[] as readonly Collection[]
const logs = [{ name: 'chain', retain: { keep: 'made by a test' } }]

type Step<T> = readonly [name: string, run: (on: T) => Promise<unknown>]

const put = (row: object, was: object | null, into: string) => ({ in: into, row, was }) as never

async function readNote(store: Store, noteId: string) {
  const [found] = await store.read(null, [{ get: notes.name, key: ['t1', noteId] }])
  return found?.rows[0] ?? null
}

/** Every method of a store, each of whose steps leaves another content or none. */
const storeSteps: readonly Step<SqliteStore>[] = [
  [
    'insert with a counter and an entry of the log',
    (store) =>
      store.commit({
        tenant: null,
        puts: [put(note('a', 'one', 1), null, notes.name), put(note('b'), null, notes.name)],
        adds: [{ counter: 'count', delta: 1 }],
        appends: [{ log: 'chain', partition: 'all', entry: Uint8Array.of(1) }],
      }),
  ],
  [
    'update, checked',
    async (store) => {
      const was = await readNote(store, 'a')
      return await store.commit({
        tenant: 't1',
        checks: [{ in: notes.name, key: ['t1', 'b'], version: 1 }],
        puts: [put(note('a', 'two', 2), was, notes.name)],
      })
    },
  ],
  [
    'remove and a range',
    async (store) => {
      const version = (await readNote(store, 'b'))?.version ?? 0
      return await store.commit({
        tenant: 't1',
        removes: [{ in: notes.name, key: ['t1', 'b'], version }],
        ranges: [{ in: notes.name, where: [['rank', '=', 9]], after: null, window: 5 }],
      })
    },
  ],
  [
    'a job',
    (store) =>
      store.commit({
        tenant: null,
        puts: [put({ lane: 'l', jobId: 'j', due: 5, claims: 0 }, null, jobs.name)],
      }),
  ],
  ['lanes', (store) => store.lanes({ in: jobs.name, now: 9, after: '', take: 9 })],
  ['nextDue', (store) => store.nextDue({ in: jobs.name })],
  [
    'claim',
    (store) =>
      store.claim({
        in: jobs.name,
        asks: [{ lane: 'l', take: 1 }],
        now: 5,
        leaseUntil: 9,
        owner: 'me',
      }),
  ],
  [
    'reads',
    (store) =>
      store.read(null, [
        { get: notes.name, key: ['t1', 'a'] },
        {
          list: notes.name,
          where: [],
          by: 'byRank',
          newest: false,
          skip: 0,
          take: 9,
          count: true,
        },
        { counter: 'count' },
        { log: 'chain', partition: 'all', after: 0, take: 9 },
      ]),
  ],
  ['mark', (store) => store.mark(1_000)],
  ['probe', (store) => store.probe()],
  ['checkpoint', async (store) => store.checkpoint().pages >= 0],
  ['scrub', (store) => store.scrub()],
]

const entry = (id: string, caseVersion: number): InboxEntry => ({
  id,
  topic: 'event',
  type: 'review.case.created',
  position: { reviewCaseId: 'rc_1', caseVersion, eventSequence: caseVersion },
  body: new TextEncoder().encode('{}'),
  receivedAt: 1,
})

const take = (inbox: Inbox, now: number) =>
  inbox.take({ topic: 'event', now, holdUntil: now + 10, limit: 9 })

const inboxSteps: readonly Step<Inbox>[] = [
  ['store', (inbox) => inbox.store(entry('evt_1', 1))],
  ['a copy', (inbox) => inbox.store(entry('evt_1', 1))],
  ['another', (inbox) => inbox.store(entry('evt_2', 2))],
  ['take', (inbox) => take(inbox, 5)],
  ['hold', (inbox) => inbox.hold([{ id: 'evt_1', attempt: 1 }], 30)],
  ['failed', (inbox) => inbox.failed({ id: 'evt_1', attempt: 1 }, 40, 'a reason')],
  ['take again', (inbox) => take(inbox, 50)],
  ['handled', (inbox) => inbox.handled({ id: 'evt_1', attempt: 2 }, 51)],
  ['head', (inbox) => inbox.head('rc_1')],
  ['has', (inbox) => inbox.has(['evt_1', 'evt_2', 'evt_3'])],
]

interface Kind<T> {
  readonly steps: readonly Step<T>[]
  open(database: ReturnType<typeof faultyDatabase>['database']): T
  /** Writes from outside, by another connection, and tells whether this one sees it. */
  seesAnother(on: T, file: string): Promise<boolean>
}

const storeKind: Kind<SqliteStore> = {
  steps: storeSteps,
  open: (database) => openSqliteStore({ database, collections, logs }),
  seesAnother: async (store, file) => {
    const other = new Database(file)
    other.exec("UPDATE _counters SET value = value + 1000 WHERE name = 'count'")
    const [before] = other.prepare("SELECT value FROM _counters WHERE name = 'count'").all() as {
      value: number
    }[]
    const [found] = await store.read(null, [{ counter: 'count' }])
    other.exec("UPDATE _counters SET value = value - 1000 WHERE name = 'count'")
    other.close()
    return (found?.total ?? 0) === (before?.value ?? 0)
  },
}

const inboxKind: Kind<Inbox> = {
  steps: inboxSteps,
  open: (database) => openSqliteInbox({ database }),
  seesAnother: async (inbox, file) => {
    const other = new Database(file)
    other.exec("INSERT INTO heads (reviewCaseId, caseVersion, eventSequence) VALUES ('rc_x', 7, 7)")
    const head = await inbox.head('rc_x')
    other.exec("DELETE FROM heads WHERE reviewCaseId = 'rc_x'")
    other.close()
    return head?.caseVersion === 7
  },
}

const plain = (value: unknown): string => JSON.stringify(value ?? null)

/** What each step answers and leaves when nothing fails. */
async function expected<T extends { close(): Promise<void> }>(kind: Kind<T>) {
  const file = name('clean.db')
  const { database } = faultyDatabase(file)
  const on = kind.open(database)
  const raw = new Database(file, { readonly: true })
  const start = contentsOf(raw)
  const after: { readonly answer: string; readonly contents: string }[] = []
  for (const [, run] of kind.steps)
    after.push({ answer: plain(await run(on)), contents: contentsOf(raw) })
  raw.close()
  await on.close()
  database.close()
  return { start, after }
}

/** Runs the steps with the n-th call failing; false when there were fewer calls. */
async function runWith<T extends { close(): Promise<void> }>(
  kind: Kind<T>,
  clean: Awaited<ReturnType<typeof expected>>,
  n: number,
  fault: Fault,
  hidesTransactions = false,
): Promise<boolean> {
  const file = name('faulty.db')
  const faulty = faultyDatabase(file, hidesTransactions)
  const on = kind.open(faulty.database)
  const raw = new Database(file, { readonly: true })
  faulty.arm(n, fault)
  let before = clean.start
  for (const [at, [step, run]] of kind.steps.entries()) {
    const { answer, contents } = clean.after[at] ?? { answer: '', contents: '' }
    const where = () => `call ${n} (${faulty.failed}, ${fault.when} ${fault.code}) in step ${step}`
    const told = await run(on).then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    )
    if ('error' in told) {
      assert.ok(faulty.failed, `${where()}: failed by itself: ${told.error}`)
      assert.ok(told.error instanceof StoreError, `${where()}: ${told.error}`)
      const found = contentsOf(raw)
      const done = found === contents
      assert.ok(done || found === before, `${where()} left something by half`)
      // What was not done can be asked for again, and answers as if nothing had been.
      if (!done) assert.equal(plain(await run(on)), answer, `${where()}: again`)
    } else {
      assert.equal(plain(told.value), answer, where())
    }
    assert.equal(contentsOf(raw), contents, `${where()}: what is kept`)
    if (faulty.failed && 'error' in told)
      assert.ok(await kind.seesAnother(on, file), `${where()}: reads are frozen`)
    before = contents
  }
  const { failed } = faulty
  faulty.disarm()
  raw.close()
  await on.close()
  faulty.database.close()
  return failed !== null
}

function everyCallFails<T extends { close(): Promise<void> }>(what: string, kind: Kind<T>): void {
  describe(`every call of SQLite fails once under ${what}`, () => {
    for (const { when, codes } of faults)
      it(`${when === 'rolled-back' ? 'with its transaction rolled back' : `${when} it is done`}: the next answer is right`, async (t) => {
        const clean = await expected(kind)
        let n = 0
        const code = () => codes[n % codes.length] ?? ''
        while (await runWith(kind, clean, n, { when, code: code() })) n++
        t.diagnostic(`${n} calls`)
        assert.ok(n > kind.steps.length, `only ${n} calls were made to fail`)
      })
  })
}

everyCallFails('a store', storeKind)
everyCallFails('an inbox', inboxKind)

describe('these tests', () => {
  it('find a store, and an inbox, that leave a transaction open', async () => {
    async function found<T extends { close(): Promise<void> }>(kind: Kind<T>): Promise<boolean> {
      const clean = await expected(kind)
      const fault: Fault = { when: 'before', code: 'SQLITE_IOERR' }
      for (let n = 0; ; n++) {
        try {
          if (!(await runWith(kind, clean, n, fault, true))) return false
        } catch (error) {
          assert.ok(error instanceof Error)
          return true
        }
      }
    }
    assert.deepEqual([await found(storeKind), await found(inboxKind)], [true, true])
  })
})

/** A database whose next RELEASE fails and leaves its transaction open, `times` times a ROLLBACK too. */
function unreleased(file: string, times: number) {
  const real: SqliteDatabase = new Database(file)
  let broken = false
  let left = times
  const fail = () => {
    throw Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR' })
  }
  const database: SqliteDatabase = {
    name: real.name,
    memory: real.memory,
    readonly: real.readonly,
    get open() {
      return real.open
    },
    get inTransaction() {
      return real.inTransaction
    },
    prepare: (sql) => {
      const statement = real.prepare(sql)
      if (sql !== 'RELEASE snapshot') return statement
      return { ...statement, run: () => (broken ? fail() : statement.run()) } as SqliteStatement
    },
    exec: (sql) => (broken && sql === 'ROLLBACK' && left-- > 0 ? fail() : real.exec(sql)),
    pragma: (sql, options) => real.pragma(sql, options),
    close: () => real.close(),
  }
  return {
    database,
    set broken(is: boolean) {
      broken = is
    },
  }
}

describe('a snapshot whose end fails', () => {
  for (const times of [0, 1, 2])
    it(`freezes no later read, also when ${times} rollbacks fail too`, async () => {
      const file = name('frozen.db')
      const made = unreleased(file, times)
      const store = openSqliteStore({ database: made.database, collections, logs })
      made.broken = true
      await readNote(store, 'a').catch(() => null)
      const other = openSqliteStore({ file, collections, logs })
      await other.commit({ tenant: null, puts: [put(note('a', 'later'), null, notes.name)] })
      for (let tries = 0; tries < 4; tries++) {
        const told = await readNote(store, 'a').catch((error: StoreError) => error)
        if (told instanceof StoreError) assert.equal(told.code, 'io')
        else assert.equal((told?.row as Note | undefined)?.text, 'later', `read ${tries} is old`)
      }
      made.broken = false
      const last = (await readNote(store, 'a'))?.row as Note | undefined
      assert.equal(last?.text, 'later')
      await store.close()
      await other.close()
      made.database.close()
    })
})
