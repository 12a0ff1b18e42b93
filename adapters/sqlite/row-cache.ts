import type { Key, Versioned } from '@countersign/core/ports'
import type { Statements } from './statements.ts'

/**
 * Rows as they were last read by key, decoded: what every command reads (keys, applications, routings) is read from
 * the file once, and what most find absent (the end of a session) is asked for once. Whoever writes on this connection
 * forgets what is written; a commit of any other connection, which `PRAGMA data_version` tells, forgets everything.
 */
export interface RowCache {
  /** To be called in the snapshot of a read, before its first `get`. */
  refresh(): void
  rows(): CachedRows
}

export interface CachedRows {
  /** Null where the key is known to have no row, undefined where nothing is known. */
  get(key: Key): Versioned | null | undefined
  /** `size`: bytes of the row's body; 0 where there is none. */
  keep(key: Key, row: Versioned | null, size: number): void
  forget(key: Key): void
}

const mostRows = 2_000
/** Of a row's body: what every command reads is small, and many large ones would fill the memory. */
const mostBytes = 16 * 1024

export function createRowCache(statements: Statements): RowCache {
  const all: Map<string, Versioned | null>[] = []
  let seen: unknown

  // Columns of a key have one type each, and text holds no NUL.
  const textOf = (key: Key): string => (key.length === 1 ? String(key[0]) : key.join('\0'))

  return {
    refresh() {
      const [version] = statements.of('PRAGMA data_version').get() as [number]
      if (version === seen) return
      seen = version
      for (const rows of all) rows.clear()
    },
    rows() {
      const rows = new Map<string, Versioned | null>()
      all.push(rows)
      return {
        get: (key) => rows.get(textOf(key)),
        keep(key, row, size) {
          if (size > mostBytes) return
          const [oldest] = rows.size < mostRows ? [] : rows.keys()
          if (oldest !== undefined) rows.delete(oldest)
          rows.set(textOf(key), row)
        },
        forget(key) {
          rows.delete(textOf(key))
        },
      }
    },
  }
}
