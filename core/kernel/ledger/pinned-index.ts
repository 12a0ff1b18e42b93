import type { Collection, Where } from '../../base/ports/store.ts'

/**
 * The index, or `key`, that fixes the most columns by these conditions and orders by nothing else but the key: its rows
 * come in key order, and what precedes a page is skipped within it.
 */
export function pinnedIndex<R extends object>(collection: Collection<R>, where: Where): string {
  const fixed = new Set(where.filter(([, is]) => is === '=').map(([column]) => column))
  const pinned = Object.entries(collection.indexes).filter(([, on]) =>
    (on as readonly string[]).every((column) => fixed.has(column)),
  )
  const [best] = pinned.sort(([, a], [, b]) => b.length - a.length)
  return best?.[0] ?? 'key'
}
