import { type Found, StoreError } from '@countersign/core/ports'
import { chainHash, chainStart, plainBytes } from '@countersign/core/store-kit'
import type { Statements } from './statements.ts'

/** Counters and chained logs, whose positions and totals are made where they are written. */
export interface Logs {
  append(log: string, partition: string, entry: Uint8Array): void
  add(counter: string, delta: number): void
  total(counter: string): Found
  entries(log: string, partition: string, after: number, take: number): Found
}

type Entry = readonly [position: number, entry: Uint8Array, hash: Uint8Array]

const here = 'FROM _logs WHERE log = ? AND partition = ?'

export function openLogs(statements: Statements): Logs {
  const head = `SELECT position, hash ${here} ORDER BY position DESC LIMIT 1`
  const page = `SELECT position, entry, hash ${here} AND position > ? ORDER BY position LIMIT ? + 0`
  const insert = 'INSERT INTO _logs (log, partition, position, entry, hash) VALUES (?, ?, ?, ?, ?)'
  const sum = `INSERT INTO _counters (name, value) VALUES (?, ?)
    ON CONFLICT (name) DO UPDATE SET value = value + excluded.value`
  const value = 'SELECT value FROM _counters WHERE name = ?'

  const headOf = (log: string, partition: string) =>
    statements.of(head).get([log, partition]) as readonly [number, Uint8Array] | undefined

  return {
    append(log, partition, entry) {
      const [position, previous] = headOf(log, partition) ?? [0, chainStart]
      const hash = chainHash(plainBytes(previous), entry)
      statements.of(insert).run([log, partition, position + 1, entry, hash])
    },
    add(counter, delta) {
      try {
        statements.of(sum).run([counter, delta])
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'SQLITE_CONSTRAINT_CHECK')
          throw new StoreError('malformed', `counter ${JSON.stringify(counter)} would leave 2^53`)
        throw error
      }
    },
    total(counter) {
      const found = statements.of(value).get([counter]) as [number] | undefined
      return { rows: [], total: found?.[0] ?? 0 }
    },
    entries(log, partition, after, take) {
      const found = statements.of(page).all([log, partition, after, take]) as Entry[]
      const rows = found.map(([position, entry, hash]) => ({
        row: { position, entry: plainBytes(entry), hash: plainBytes(hash) },
        version: position,
        leasedBy: null,
      }))
      return { rows, total: headOf(log, partition)?.[0] ?? 0 }
    },
  }
}
