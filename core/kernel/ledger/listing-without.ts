import type { Found, Read } from '../../base/ports/store.ts'
import { countOf, type Listing, type ListQuery, type ListSource, listingOf } from './listing.ts'
import { list, one } from './reads.ts'

/** Rows that a list leaves out. */
export interface Omission<R extends object> {
  readonly has: (row: R) => boolean
  /** How many of them are in the list: ahead of a cursor, or at all for null. */
  readonly count: (ahead: string | null) => Promise<number>
}

type Reader = (reads: readonly Read[]) => Promise<readonly Found[]>

/**
 * A list without some of its rows, which it passes over; its count and its pages are those of what is left. `readPiece`
 * reads its pieces.
 */
export async function listingWithout<R extends object, T>(
  source: ListSource<R, T>,
  omitted: Omission<R>,
  query: ListQuery,
  read: Reader,
  readPiece: Reader,
): Promise<Listing<T>> {
  const before = 'page' in query ? (query.page - 1) * query.pageSize : 0
  const skip = await rowsBefore(source, omitted, before, read)
  const left = await omitted.count(null)
  const [counted] = await read([countOf(source, left)])
  const except = { has: omitted.has, skip }
  const { pieces } = listingOf({ ...source, except }, query, counted, readPiece)
  return { totalCount: Math.max(0, (counted?.total ?? 0) - left), pieces }
}

/** A list that has no rows. */
export function emptyListing<T>(): Listing<T> {
  const pieces: Listing<T>['pieces'] = {
    [Symbol.asyncIterator]: () => pieces,
    next: async () => ({ done: true, value: null }),
  }
  return { totalCount: 0, pieces }
}

/** The number of rows of the source to skip, so that `before` of them are skipped that are not left out. */
async function rowsBefore<R extends object, T>(
  { collection, where, by, newest, cursor }: ListSource<R, T>,
  omitted: Omission<R>,
  before: number,
  read: Reader,
): Promise<number> {
  for (let skip = before; ; ) {
    const [found] = await read([list(collection, { where, by, newest, skip, take: 1 })])
    const place = one(collection, found)?.row[cursor] as string | undefined
    if (place === undefined) return skip
    const left = await omitted.count(place)
    if (before + left === skip) return skip
    skip = before + left
  }
}
