import type { Found, Read } from '../../base/ports/store.ts'
import { type CursorQuery, countOf, type ListQuery, type ListSource, listingOf } from './listing.ts'
import { type Page, pageOf } from './page.ts'

/** What is behind a cursor. */
export interface Rows<T> {
  readonly rows: readonly T[]
  /** The cursor of what follows, null at the end. */
  readonly next: string | null
  /** As of a page. */
  readonly totalCount: number
}

/** The part of a list that a query asks for. */
export type PartOf<Query extends ListQuery, T> = Query extends CursorQuery ? Rows<T> : Page<T>

/** A part of a list whose rows are small, in memory. The query was checked by `checkListQuery`. */
export async function readPart<Query extends ListQuery, R extends object, T>(
  source: ListSource<R, T>,
  query: Query,
  read: (reads: readonly Read[]) => Promise<readonly Found[]>,
): Promise<PartOf<Query, T>> {
  const [counted] = await read([countOf(source)])
  const { totalCount, pieces } = listingOf<R, T>(source, query, counted, read)
  const items: T[] = []
  for (;;) {
    const piece = await pieces.next()
    if (!piece.done) items.push(...piece.value)
    else {
      const part: Page<T> | Rows<T> =
        'page' in query
          ? pageOf(items, totalCount, query)
          : { rows: items, next: piece.value, totalCount }
      return part as PartOf<Query, T>
    }
  }
}
