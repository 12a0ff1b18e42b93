import type { SqliteDatabase, SqliteStatement } from '@countersign/sqlite'
import Database from 'better-sqlite3'

export interface RecordingDatabase {
  readonly database: SqliteDatabase
  /** Every text that ran through a prepared statement, in order. */
  readonly ran: string[]
}

/** A database that notes each statement that runs on it. */
export function recordingDatabase(file: string): RecordingDatabase {
  const real: SqliteDatabase = new Database(file)
  const ran: string[] = []

  function recording(sql: string, statement: SqliteStatement): SqliteStatement {
    const noting =
      <T>(run: (values?: readonly unknown[]) => T) =>
      (values: readonly unknown[] = []) => {
        ran.push(sql)
        return run(values)
      }
    return {
      run: noting((values) => statement.run(values)),
      get: noting((values) => statement.get(values)),
      all: noting((values) => statement.all(values)),
      raw: (on = true) => recording(sql, statement.raw(on)),
      pluck: (on = true) => recording(sql, statement.pluck(on)),
    }
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
    prepare: (sql) => recording(sql, real.prepare(sql)),
    exec: (sql) => real.exec(sql),
    pragma: (sql, options) => real.pragma(sql, options),
    close: () => real.close(),
  }
  return { database, ran }
}
