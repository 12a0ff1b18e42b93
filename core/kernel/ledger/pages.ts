import type { Collection, Found, Key, Read, Versioned, Where } from '../../base/ports/store.ts'
import { keyOf } from '../../base/store-kit/key-of.ts'
import type { Ledger } from './ledger.ts'
import { list, many } from './reads.ts'

/** Rows that one read brings. */
const piece = 200

/** What reads one tenant's rows. */
export interface Reader {
  read(reads: readonly Read[]): Promise<readonly Found[]>
}

/** Reads as a tenant. */
export function readerOf(ledger: Ledger, tenantId: string): Reader {
  return { read: (reads) => ledger.read(tenantId, reads) }
}

/**
 * The first rows behind a key, in key order, at most `take`. An index may find them whose columns the conditions pin
 * down, for its rows lie in key order too.
 */
export async function pageAfter<R extends object>(
  reader: Reader,
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
 * All rows that fulfil the conditions, in key order, read in pieces as they are asked for. An index may find them whose
 * columns the conditions pin down. `take`: rows of a piece, for rows that may be large.
 */
export async function* rowsOf<R extends object>(
  reader: Reader,
  collection: Collection<R>,
  {
    where,
    by = 'key',
    take = piece,
  }: { readonly where: Where; readonly by?: string; readonly take?: number },
): AsyncGenerator<R, void, undefined> {
  for (let after: Key | null = null; ; ) {
    const page: readonly Versioned<R>[] = await pageAfter(reader, collection, {
      where,
      by,
      after,
      take,
    })
    for (const { row } of page) yield row
    const last = page.at(-1)
    if (!last || page.length < take) return
    after = keyIn(collection, last.row)
  }
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
