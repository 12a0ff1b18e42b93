import type { Collection, Store } from '@countersign/core/ports'
import {
  type ConnectionOptions,
  openSqliteStore,
  type SqliteStore,
  type SqliteStoreOptions,
} from '@countersign/sqlite'

export interface Note {
  readonly tenantId: string
  readonly noteId: string
  readonly rank: number | null
  readonly text: string
}

export const notes: Collection<Note> = {
  name: 'notes',
  key: ['tenantId', 'noteId'],
  columns: { tenantId: 'text', noteId: 'text', rank: 'int' },
  indexes: { byRank: ['tenantId', 'rank'] },
  tenant: 'tenantId',
  purge: { keep: 'made by a test' },
  retain: { keep: 'made by a test' },
}

export const note = (noteId: string, text = '', rank: number | null = null): Note => ({
  tenantId: 't1',
  noteId,
  rank,
  text,
})

export function openNotes(
  options: ConnectionOptions &
    Pick<
      SqliteStoreOptions,
      'writerThread' | 'onWriterEnded' | 'onWriterRestart' | 'onUpgrade' | 'observer'
    > & {
      readonly most?: number
      readonly collections?: readonly Collection[]
    },
): SqliteStore {
  const { most = 500, collections = [notes], ...connection } = options
  return openSqliteStore({ ...connection, collections, logs: [], groupCommit: { most } })
}

export const add = (store: Store, ...rows: readonly Note[]) =>
  store.commit({ tenant: null, puts: rows.map((row) => ({ in: notes.name, row, was: null })) })

export async function texts(store: Store): Promise<readonly string[]> {
  const all = { where: [], by: 'key', newest: false, skip: 0, take: 10_000, count: false }
  const [found] = await store.read(null, [{ list: notes.name, ...all }])
  return (found?.rows ?? []).map(({ row }) => (row as Note).text)
}
