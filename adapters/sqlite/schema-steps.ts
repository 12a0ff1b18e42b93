import { StoreError } from '@countersign/core/ports'
import type { SqliteDatabase } from './driver.ts'
import { abandonTransaction } from './transaction.ts'

/** A schema as the steps that made it; one that has been released is never changed. */
export interface SchemaSteps {
  /** In the file's header, so that another program's database is not taken for ours. */
  readonly applicationId: number
  /** SQL; how many were taken is the file's `user_version`. */
  readonly steps: readonly string[]
}

const incompatible = (message: string): StoreError => new StoreError('incompatible', message)

/** Runs in a transaction of its own; a second process waits until it is through. */
export function immediately(db: SqliteDatabase, run: () => void): void {
  db.exec('BEGIN IMMEDIATE')
  try {
    run()
    db.exec('COMMIT')
  } catch (error) {
    abandonTransaction(db)
    throw error
  }
}

/** Takes the steps that the file lacks; refuses a newer file and one of another program. */
export function takeSteps(db: SqliteDatabase, { applicationId, steps }: SchemaSteps): void {
  const taken = Number(db.pragma('user_version', { simple: true }))
  const owner = Number(db.pragma('application_id', { simple: true }))
  const tables = Number(
    db.prepare("SELECT count(*) FROM sqlite_schema WHERE type = 'table'").pluck().get(),
  )
  const empty = owner === 0 && taken === 0 && tables === 0
  if (owner !== applicationId && !empty)
    throw incompatible(
      `the database is another program's (application_id ${owner}, ${tables} tables): expected an empty file or application_id ${applicationId}`,
    )
  if (taken > steps.length)
    throw incompatible(
      `the database is newer than this program: its schema is at ${taken}, ours at ${steps.length}`,
    )
  for (const step of steps.slice(taken)) db.exec(step)
  db.pragma(`application_id = ${applicationId}`)
  db.pragma(`user_version = ${steps.length}`)
}
