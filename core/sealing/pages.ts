import { list, many } from '../ledger/reads.ts'
import type { Collection, Found, Key, Read, Versioned, Where } from '../ports/store.ts'
import { keyOf } from '../store-kit/key-of.ts'

/**
 * The first rows behind a key, in key order, at most `take`. An index may find them whose columns the conditions pin
 * down, for its rows lie in key order too.
 */
export async function pageAfter<R extends object>(
  reader: { read(reads: readonly Read[]): Promise<readonly Found[]> },
  collection: Collection<R>,
  query: {
    readonly where: Where
    readonly by?: string
    readonly after: Key | null
    readonly take: number
  },
): Promise<readonly Versioned<R>[]> {
  const { where, by = 'key', after, take } = query
  const reads = behind(collection, after).map((more) =>
    list(collection, { where: [...where, ...more], by, take }),
  )
  const found = await reader.read(reads)
  return found.flatMap((each) => many(collection, each)).slice(0, take)
}

/**
 * The rows behind a composite key (a, b, c), as ranges in key order: (a, b, > c), (a, > b), (> a). A store's
 * conditions compare one column each.
 */
function behind<R extends object>(collection: Collection<R>, after: Key | null): readonly Where[] {
  if (after === null) return [[]]
  const { key } = collection
  return key
    .map((_, at) =>
      key
        .slice(0, at + 1)
        .map((column, place) => [column, place === at ? '>' : '=', after[place] ?? null] as const),
    )
    .toReversed()
}

export function keyIn<R extends object>(collection: Collection<R>, row: R): Key {
  return keyOf(collection as unknown as Collection, row)
}
