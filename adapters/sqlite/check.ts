import { existsSync } from 'node:fs'
import { StoreError } from '@countersign/core/ports'
import { chainHash, chainStart, plainBytes } from '@countersign/core/store-kit'
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
 * Looks through a store's database without writing, also while a server runs on it: its pages, the chain of each log,
 * and whether it is behind its high-water mark.
 */
export function checkDatabase(file: string): CheckReport {
  // Before the database, which may be written meanwhile.
  const marked = readMark(file)
  if (!existsSync(file)) {
    const highWater = { kept: 0, marked }
    const problem = marked > 0 ? behind(file, highWater) : `there is no database ${file}`
    return { problems: [problem], highWater, logs: [] }
  }
  let db: SqliteDatabase | undefined
  try {
    db = openExisting(file)
    const owner = db.pragma('application_id', { simple: true })
    if (owner !== storeApplicationId && owner !== 0)
      throw new StoreError('incompatible', `${file} is no database of a Countersign store`)
    // All that follows is of one moment.
    db.exec('SAVEPOINT look')
    const pages = db.pragma('quick_check(20)') as { readonly quick_check: string }[]
    const damaged = pages.map((row) => row.quick_check).filter((text) => text !== 'ok')
    const highWater = { kept: keptIn(db), marked }
    const { heads, broken } = checkLogs(db)
    return {
      problems: [
        ...damaged.map((text) => `quick_check: ${text}`),
        ...broken,
        ...(highWater.kept < marked ? [behind(file, highWater)] : []),
      ],
      highWater,
      logs: heads,
    }
  } catch (error) {
    throw translate(error)
  } finally {
    db?.close()
  }
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
