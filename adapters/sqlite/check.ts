import { existsSync } from 'node:fs'
import { type Collection, StoreError } from '@countersign/core/ports'
import { chainHash, chainStart, plainBytes } from '@countersign/core/store-kit'
import { checkRows } from './check-rows.ts'
import { checkSchema, collectionsIn } from './check-schema.ts'
import { openExisting, type SqliteDatabase } from './driver.ts'
import { translate } from './errors.ts'
import { type HighWater, keptIn, readMark } from './high-water.ts'
import { storeApplicationId } from './migrate.ts'

/** The last entry of one log: noted elsewhere, it shows later that nothing before it was changed or cut. */
export interface LogHead {
  readonly log: string
  readonly partition: string
  readonly entries: number
  /** Hex. */
  readonly hash: string
}

/** The result of a check. */
export interface CheckReport {
  /** One sentence each; empty where all is well. */
  readonly problems: readonly string[]
  readonly highWater: HighWater
  readonly logs: readonly LogHead[]
}

/**
 * Looks through a store's database without writing, also while a server runs on it: its pages and indexes, its schema,
 * each row, the chain of each log, and whether it is behind its high-water mark. `declared` is what its schema is
 * compared with. Damage is told and not thrown; a file of another program is refused.
 */
export function checkDatabase(
  file: string,
  declared: { readonly collections: readonly Collection[] } | null = null,
): CheckReport {
  const problems: string[] = []
  /** What a part finds; where it can not be read, that is what is found. */
  const look = <T>(what: string, part: () => T, otherwise: T): T => {
    try {
      return part()
    } catch (error) {
      const told = translate(error)
      if (told instanceof StoreError && told.code === 'incompatible') throw told
      problems.push(`${what}: ${told instanceof Error ? told.message : String(told)}`)
      return otherwise
    }
  }
  // Before the database, which may be written during the check.
  const marked = look('its high-water mark', () => readMark(file), 0)
  if (!existsSync(file)) {
    const highWater = { kept: 0, marked }
    problems.push(marked > 0 ? behind(file, highWater) : `there is no database ${file}`)
    return { problems, highWater, logs: [] }
  }
  const db = look('the file', () => openExisting(file), null)
  try {
    return db ? lookThrough(db) : { problems, highWater: { kept: 0, marked }, logs: [] }
  } finally {
    db?.close()
  }

  function lookThrough(db: SqliteDatabase): CheckReport {
    const owner = look('the file', () => db.pragma('application_id', { simple: true }), null)
    if (owner === null) return { problems, highWater: { kept: 0, marked }, logs: [] }
    if (owner !== storeApplicationId && owner !== 0)
      throw new StoreError('incompatible', `${file} is no database of a Countersign store`)
    // All that follows is of one moment.
    look('the file', () => db.exec('SAVEPOINT look'), null)
    const pages = look(
      'integrity_check',
      () => db.pragma('integrity_check(20)') as { readonly integrity_check: string }[],
      [],
    )
    const damaged = pages.map((row) => row.integrity_check).filter((text) => text !== 'ok')
    problems.push(...damaged.map((text) => `integrity_check: ${text}`))
    problems.push(...look('its schema', () => checkSchema(db, declared?.collections ?? null), []))
    const tables = look('table _collections', () => collectionsIn(db, tablesOf(db)), new Map())
    for (const [table, key] of tables)
      if (tablesOf(db).has(table))
        problems.push(...look(`table ${table}`, () => checkRows(db, table, key), []))
    const kept = look('table _counters', () => keptIn(db), 0)
    const { heads, broken } = look('table _logs', () => checkLogs(db), { heads: [], broken: [] })
    problems.push(...broken)
    const highWater = { kept, marked }
    if (kept < marked) problems.push(behind(file, highWater))
    return { problems, highWater, logs: heads }
  }
}

function tablesOf(db: SqliteDatabase): ReadonlySet<string> {
  const found = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all()
  return new Set(found as string[])
}

/** Where a database and the mark beside it stand, for a start: reads a row, and makes no file. */
export function highWaterOf(file: string): HighWater {
  const marked = readMark(file)
  if (!existsSync(file)) return { kept: 0, marked }
  let db: SqliteDatabase | undefined
  try {
    db = openExisting(file)
    return { kept: keptIn(db), marked }
  } catch (error) {
    throw translate(error)
  } finally {
    db?.close()
  }
}

/** Says how far a database is behind its mark. */
export function behind(file: string, { kept, marked }: HighWater): string {
  if (!existsSync(file))
    return `there is no database ${file}, though a high-water mark lies beside it: it was moved away or removed`
  const time = (ms: number) => (ms === 0 ? 'never' : new Date(ms).toISOString())
  return `${file} has lost writes: it was last marked ${time(kept)}, the mark beside it says ${time(marked)}; its write-ahead log was cut or removed, or an older copy was put in its place`
}

type Row = readonly [position: number, entry: Uint8Array, hash: Uint8Array]

function checkLogs(db: SqliteDatabase): {
  readonly heads: readonly LogHead[]
  readonly broken: readonly string[]
} {
  const heads: LogHead[] = []
  const broken: string[] = []
  const tables = db.prepare("SELECT count(*) FROM sqlite_schema WHERE name = '_logs'").pluck().get()
  const partitions = (
    tables === 0 ? [] : db.prepare('SELECT DISTINCT log, partition FROM _logs').raw().all()
  ) as readonly (readonly [string, string])[]
  for (const [log, partition] of partitions) {
    const next = db
      .prepare(
        'SELECT position, entry, hash FROM _logs WHERE log = ? AND partition = ? AND position > ? ORDER BY position LIMIT 500',
      )
      .raw()
    let [entries, hash] = [0, chainStart]
    let problem: string | null = null
    for (;;) {
      const rows = next.all([log, partition, entries]) as Row[]
      for (const [position, entry, stored] of rows) {
        hash = chainHash(hash, plainBytes(entry))
        if (position !== entries + 1)
          problem ??= `entry ${entries + 1} is missing, ${position} follows`
        else if (!sameBytes(hash, stored))
          problem ??= `entry ${position} is not what was linked there`
        ;[entries, hash] = [position, plainBytes(stored)]
      }
      if (rows.length < 500) break
    }
    heads.push({ log, partition, entries, hash: Buffer.from(hash).toString('hex') })
    if (problem) broken.push(`log ${log} of ${partition}: ${problem}`)
  }
  return { heads, broken }
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at])
}
