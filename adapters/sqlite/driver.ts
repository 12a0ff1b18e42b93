import { createRequire } from 'node:module'
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

/**
 * Why a version of better-sqlite3 may not be used under a version of Node; null: it may. Before 13 it is built on
 * Node's C++ classes, whose hooks Node 24 removes while it collects garbage, and aborts the process where it can't.
 */
export function faultOfDriver(driver: string, node: string): string | null {
  if (Number.parseInt(driver, 10) >= 13 || Number.parseInt(node, 10) < 24) return null
  return `better-sqlite3 ${driver} ends the process under Node ${node} at some point: install better-sqlite3@13`
}

/** The installed better-sqlite3 may not be used under this Node; the message says what to install. */
export class DriverError extends Error {
  override readonly name = 'DriverError'
  readonly code = 'ERR_DRIVER'
}

let looked = false

/** Throws a DriverError where the driver that is installed may not be used. */
function checkDriver(): void {
  if (looked) return
  const version = versionOfDriver()
  const fault = version === null ? null : faultOfDriver(version, process.versions.node)
  if (fault !== null) throw new DriverError(fault)
  looked = true
}

/** Null where it can't be found, such as in a bundle. */
function versionOfDriver(): string | null {
  try {
    return createRequire(import.meta.url)('better-sqlite3/package.json').version
  } catch {
    return null
  }
}

export function openDatabase(file: string): SqliteDatabase {
  checkDriver()
  return new Database(file)
}

/** For reading alone; the file must be there. */
export function openExisting(file: string): SqliteDatabase {
  checkDriver()
  return new Database(file, { readonly: true, fileMustExist: true })
}
