import type { Collection, Log, Store } from '@countersign/core/ports'
import { createStoreRules } from '@countersign/core/store-kit'
import { openExisting } from './driver.ts'
import { translate } from './errors.ts'
import { answerRead } from './read-answers.ts'
import { openTables } from './tables.ts'
import { createTurnReads } from './turn-reads.ts'

/** Reads a store's database. */
export interface SqliteReader extends Pick<Store, 'read'> {
  close(): void
}

/**
 * Opens a store's database for reading alone, also while a server runs on it. Reads reject where the file is not of the
 * declared collections, as one that was not upgraded yet.
 */
export function openSqliteReader(options: {
  readonly file: string
  readonly collections: readonly Collection[]
  readonly logs: readonly Log[]
}): SqliteReader {
  const rules = createStoreRules(options)
  try {
    const db = openExisting(options.file)
    const tables = openTables(db, rules)
    const reads = createTurnReads(db, tables.statements, tables.cache)
    return {
      async read(tenant, asked) {
        rules.checkReads(tenant, asked)
        return reads.run(() => asked.map((read) => answerRead(tables, tenant, read)))
      },
      close: () => void db.close(),
    }
  } catch (error) {
    throw translate(error)
  }
}
