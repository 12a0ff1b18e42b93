import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { type Store, StoreError } from '@countersign/core/ports'
import type { SqliteDatabase } from './driver.ts'

/**
 * A time (ms) that rises with the writes of a store: in the database, and after each commit in a small file beside it.
 * A database that is behind that file has lost writes.
 */
export interface HighWater {
  /** Of the database: what it held by then, it holds. 0 before the first mark. */
  readonly kept: number
  /** Of the file beside it: what was durable then. 0 where there is none. */
  readonly marked: number
}

const counter = '_high_water'

/** Path of the file that keeps a database's high-water mark. */
export const markFileOf = (file: string): string => `${file}.mark`

/** The mark in the file beside a database. */
export function readMark(file: string): number {
  const path = markFileOf(file)
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0
    throw error
  }
  const found = /^\{"highWater":(\d{1,16})\}\n$/.exec(text)
  if (!found)
    throw new StoreError(
      'corrupt',
      `${path} is no high-water mark: expected {"highWater":…}; remove it if the database is known to be whole`,
    )
  return Number(found[1])
}

/** Replaces the mark whole: a kill leaves the old or the new one. */
export function writeMark(file: string, highWater: number): void {
  const path = markFileOf(file)
  const draft = `${path}.${process.pid}`
  const handle = openSync(draft, 'w', 0o600)
  try {
    writeSync(handle, `{"highWater":${highWater}}\n`)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  renameSync(draft, path)
}

/** The mark within a database; 0 in one that has none, or no tables yet. */
export function keptIn(db: SqliteDatabase): number {
  const tables = db
    .prepare("SELECT count(*) FROM sqlite_schema WHERE name = '_counters'")
    .pluck()
    .get()
  if (tables === 0) return 0
  return Number(
    db.prepare('SELECT value FROM _counters WHERE name = ?').pluck().get([counter]) ?? 0,
  )
}

/** Raises the mark of the database to `now`, or by one where it is past that, then that of the file. */
export async function raiseMark(store: Store, file: string, now: number): Promise<number> {
  const [found] = await store.read(null, [{ counter }])
  const kept = found?.total ?? 0
  const next = Math.max(Math.floor(now), kept + 1)
  const outcome = await store.commit({ tenant: null, adds: [{ counter, delta: next - kept }] })
  if (!outcome.committed) throw new StoreError('io', 'the high-water mark was not written')
  writeMark(file, next)
  return next
}
