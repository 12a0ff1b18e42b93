import type { SqliteDatabase, SqliteStatement } from './driver.ts'

/** Statements by their text, prepared once; rows come as arrays of values. */
export interface Statements {
  of(sql: string): SqliteStatement
}

export function createStatements(db: SqliteDatabase): Statements {
  const prepared = new Map<string, SqliteStatement>()
  return {
    of(sql) {
      const found = prepared.get(sql)
      if (found) return found
      const statement = db.prepare(sql)
      const made = /^(?:SELECT|WITH|PRAGMA)|RETURNING/.test(sql) ? statement.raw() : statement
      prepared.set(sql, made)
      return made
    },
  }
}
