import { type CommitOutcome, type Store, StoreError } from '@countersign/core/ports'
import type { EncodedSet } from '@countersign/core/store-kit'
import { type Application, applySet } from './apply.ts'
import type { SqliteDatabase } from './driver.ts'
import { translateLive } from './errors.ts'
import { createGroup } from './group.ts'
import { writeProbe } from './probe.ts'
import { createSavepoint } from './savepoint.ts'
import type { Tables } from './tables.ts'

/** The side of a store that writes, on this thread or on another. */
export interface Writer {
  /** Why it can't write any more, ever; null while it can. */
  readonly fault: StoreError | null
  /** Durable when it resolves. */
  commit(set: EncodedSet): Promise<CommitOutcome>
  /** The claimed rows as `Table.read` takes them. */
  claim(query: Parameters<Store['claim']>[0]): Promise<readonly unknown[][]>
  /** Writes a row of an ordinary size, durable when it resolves, and answers its number. */
  probe(): Promise<number>
  /** Commits what waits, and leaves nothing in the write-ahead log. */
  scrub(): Promise<void>
  /** Commits what waits; nothing may be asked afterwards. */
  close(): Promise<void>
}

export function createWriter(db: SqliteDatabase, tables: Tables, most: number): Writer {
  const group = createGroup(db, most)
  const { statements, logs, table } = tables
  const savepoint = createSavepoint(db, statements)
  const application: Application = { savepoint, statements, logs, table }
  return {
    fault: null,
    commit: (set) => group.run(() => applySet(application, set)),
    claim: async (query) => {
      const from = tables.queue(query.in)
      return await group.run(() => savepoint.around(() => from.claim(query)))
    },
    probe: () => group.run(() => savepoint.around(() => writeProbe(statements))),
    scrub: async () => {
      try {
        group.flush()
        if (moveLog(db, 'TRUNCATE').busy)
          throw new StoreError('busy', 'another connection still reads the write-ahead log')
      } catch (error) {
        throw translateLive(error)
      }
    },
    close: async () => group.flush(),
  }
}

/** Moves the write-ahead log into the file as far as nobody reads it; numbers of pages. */
export function moveLog(
  db: SqliteDatabase,
  mode: 'PASSIVE' | 'TRUNCATE',
): { readonly busy: number; readonly log: number; readonly checkpointed: number } {
  const [moved] = db.pragma(`wal_checkpoint(${mode})`) as [ReturnType<typeof moveLog>]
  return moved
}
