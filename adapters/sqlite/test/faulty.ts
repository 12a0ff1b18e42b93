import type { SqliteDatabase, SqliteStatement } from '@countersign/sqlite'
import Database from 'better-sqlite3'

/** How a call of SQLite goes wrong. */
export interface Fault {
  /** `before` it did anything, `after` it did all, or with the whole transaction rolled back, as SQLite may do itself. */
  readonly when: 'before' | 'after' | 'rolled-back'
  readonly code: string
}

export interface FaultyDatabase {
  readonly database: SqliteDatabase
  /** Lets the n-th call from here on (0: the next) fail once. */
  arm(n: number, fault: Fault): void
  /** What failed since `arm`; null while nothing did. */
  readonly failed: string | null
  /** Calls since `arm`. */
  readonly calls: number
  disarm(): void
}

/**
 * A database of which one call, counted over all its calls, fails. `hidesTransactions` tells that none is open, as to
 * code that does not look.
 */
export function faultyDatabase(file: string, hidesTransactions = false): FaultyDatabase {
  const real: SqliteDatabase = new Database(file)
  let fault: Fault | null = null
  let left = 0
  let calls = 0
  let failed: string | null = null

  function guarded<T>(what: string, call: () => T): T {
    calls++
    if (fault === null || left-- > 0) return call()
    const { when, code } = fault
    fault = null
    failed = what
    if (when === 'after') call()
    if (when === 'rolled-back' && real.inTransaction) real.exec('ROLLBACK')
    throw Object.assign(new Error(`injected into ${what}`), { code })
  }

  const faulty = (sql: string, statement: SqliteStatement): SqliteStatement => ({
    run: (values = []) => guarded(`run ${sql}`, () => statement.run(values)),
    get: (values = []) => guarded(`get ${sql}`, () => statement.get(values)),
    all: (values = []) => guarded(`all ${sql}`, () => statement.all(values)),
    raw: (on = true) => faulty(sql, statement.raw(on)),
    pluck: (on = true) => faulty(sql, statement.pluck(on)),
  })

  return {
    database: {
      name: real.name,
      memory: real.memory,
      readonly: real.readonly,
      get open() {
        return real.open
      },
      get inTransaction() {
        return !hidesTransactions && real.inTransaction
      },
      prepare: (sql) =>
        faulty(
          sql,
          guarded(`prepare ${sql}`, () => real.prepare(sql)),
        ),
      exec: (sql) => guarded(`exec ${sql}`, () => real.exec(sql)),
      pragma: (sql, options) => guarded(`pragma ${sql}`, () => real.pragma(sql, options)),
      close: () => real.close(),
    },
    arm: (n, given) => {
      ;[left, fault, failed, calls] = [n, given, null, 0]
    },
    disarm: () => {
      fault = null
    },
    get failed() {
      return failed
    },
    get calls() {
      return calls
    },
  }
}

/** The ways in which a call is made to fail; of several codes the n-th call takes one in turn. */
export const faults: readonly {
  readonly when: Fault['when']
  readonly codes: readonly string[]
}[] = [
  { when: 'before', codes: ['SQLITE_IOERR_READ', 'SQLITE_CORRUPT', 'SQLITE_BUSY'] },
  { when: 'after', codes: ['SQLITE_IOERR_FSYNC'] },
  { when: 'rolled-back', codes: ['SQLITE_FULL', 'SQLITE_IOERR_WRITE'] },
]

/** All that lies in a database, as another connection sees it. */
export function contentsOf(raw: Database.Database): string {
  const tables = raw
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    .pluck()
    .all() as string[]
  // What fills a probe is large, and always the same.
  const columnsOf = (table: string) => (table === '_probes' ? 'number' : '*')
  return JSON.stringify(
    tables.map((table) => [
      table,
      raw
        .prepare(`SELECT ${columnsOf(table)} FROM "${table}" ORDER BY 1`)
        .raw()
        .all(),
    ]),
  )
}
