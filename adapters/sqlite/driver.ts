import Database from 'better-sqlite3'

/** What we use of a better-sqlite3 statement; values are bound by position, as one array. */
export interface SqliteStatement {
  run(values?: readonly unknown[]): { readonly changes: number }
  get(values?: readonly unknown[]): unknown
  all(values?: readonly unknown[]): unknown[]
  raw(on?: boolean): SqliteStatement
  pluck(on?: boolean): SqliteStatement
}

/** What we use of a better-sqlite3 Database, so that a caller may open one and the driver's types stay out of ours. */
export interface SqliteDatabase {
  readonly name: string
  readonly open: boolean
  readonly inTransaction: boolean
  readonly memory: boolean
  readonly readonly: boolean
  prepare(sql: string): SqliteStatement
  exec(sql: string): unknown
  pragma(sql: string, options?: { readonly simple?: boolean }): unknown
  close(): unknown
}

export function openDatabase(file: string): SqliteDatabase {
  return new Database(file)
}

/** For reading alone; the file must be there. */
export function openExisting(file: string): SqliteDatabase {
  return new Database(file, { readonly: true, fileMustExist: true })
}
