import { StoreError } from '../base/errors/store-error.ts'
import type { Collection, LogEntry, Versioned } from '../base/ports/store.ts'
import { type Cell, createTable, type Table } from './memory-table.ts'
import { give } from './plain-data.ts'

/** What a memory store holds, shared by those that open it one after another. */
export interface Contents {
  readonly collections: ReadonlyMap<string, Collection>
  /** Made when they are first used: a simulation opens thousands of stores and uses a part of each. */
  readonly tables: Map<string, Table>
  readonly counters: Map<string, number>
  readonly logs: ReadonlyMap<string, Map<string, LogEntry[]>>
}

export function tableOf({ collections, tables }: Contents, name: string): Table {
  const found = tables.get(name)
  if (found) return found
  const collection = collections.get(name)
  if (!collection) throw new StoreError('malformed', `no collection ${JSON.stringify(name)}`)
  const made = createTable(collection)
  tables.set(name, made)
  return made
}

/** The row, unless it is another tenant's, which is as good as absent. */
export function visible(
  tenant: string | null,
  of: Table,
  cell: Cell | undefined,
): Cell | undefined {
  const column = of.collection.tenant
  if (!cell || tenant === null || column === 'system') return cell
  return cell.row[column] === tenant ? cell : undefined
}

export const tell = ({ row, version, leasedBy }: Cell): Versioned => ({
  row: give(row),
  version,
  leasedBy,
})
