import { existsSync } from 'node:fs'
import { backupDatabase } from './backup.ts'
import type { SqliteDatabase } from './driver.ts'
import type { Layout } from './layout.ts'
import { storeApplicationId, storeSteps } from './migrate.ts'

/** What opening a database with data will change in it, and the copy that was made before. */
export interface Upgrade {
  /** One phrase each. */
  readonly changes: readonly string[]
  /** Null where none was asked for. */
  readonly backup: string | null
}

/** Finds what `migrate` is about to change in a store that has been used; null where there is nothing. */
export function pendingUpgrade(
  db: SqliteDatabase,
  layouts: readonly Layout[],
): readonly string[] | null {
  // A new file, or one that is refused.
  if (db.pragma('application_id', { simple: true }) !== storeApplicationId) return null
  const taken = Number(db.pragma('user_version', { simple: true }))
  const changes = taken < storeSteps ? [`schema ${taken} to ${storeSteps}`] : []
  const columns = db.prepare('SELECT name FROM pragma_table_info(?)').pluck()
  const indexes = db
    .prepare(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL",
    )
    .raw()
  for (const { collection, types, indexes: wanted } of layouts) {
    const found = new Set(columns.all([collection.name]) as string[])
    if (found.size === 0) {
      changes.push(`collection ${collection.name}`)
      continue
    }
    for (const column of types.keys())
      if (!found.has(column)) changes.push(`column ${column} of ${collection.name}`)
    const there = new Map(indexes.all([collection.name]) as [string, string][])
    for (const index of new Set([...wanted.keys(), ...there.keys()]))
      if (there.get(index) !== wanted.get(index)) changes.push(`index ${index}`)
  }
  return changes.length > 0 ? changes : null
}

/** Copies the database beside itself under a name that says from which schema; answers the name. */
export function backupBeforeUpgrade(db: SqliteDatabase, file: string): string {
  const taken = Number(db.pragma('user_version', { simple: true }))
  // Two processes that start at once make a copy each.
  const name = `${file}.before-upgrade-${taken}-${process.pid}`
  let to = name
  for (let number = 2; existsSync(to); number++) to = `${name}-${number}`
  return backupDatabase({ file, to }).file
}
