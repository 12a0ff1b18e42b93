import { StoreError } from '@countersign/core/ports'
import type { StoreRules } from '@countersign/core/store-kit'
import type { SqliteDatabase } from './driver.ts'
import { type Logs, openLogs } from './logs.ts'
import { openQueue, type Queue } from './queue.ts'
import { createRowCache, type RowCache } from './row-cache.ts'
import { createStatements, type Statements } from './statements.ts'
import { openTable, type Table } from './table.ts'

/** Everything that one connection reads and writes by. */
export interface Tables {
  readonly statements: Statements
  readonly cache: RowCache
  readonly logs: Logs
  readonly all: readonly Table[]
  table(name: string): Table
  queue(name: string): Queue
}

export function openTables(db: SqliteDatabase, rules: StoreRules): Tables {
  const statements = createStatements(db)
  const cache = createRowCache(statements)
  const byName = new Map(
    rules.collections.map((each) => [each.name, openTable(each, statements, cache)]),
  )
  const queues = new Map<string, Queue>()

  function table(name: string): Table {
    const found = byName.get(name)
    if (!found) throw new StoreError('malformed', `no collection ${JSON.stringify(name)}`)
    return found
  }

  return {
    statements,
    cache,
    logs: openLogs(statements),
    all: [...byName.values()],
    table,
    queue(name) {
      const found = queues.get(name)
      if (found) return found
      const made = openQueue(table(name), rules.queue(name).queue, statements)
      queues.set(name, made)
      return made
    },
  }
}
