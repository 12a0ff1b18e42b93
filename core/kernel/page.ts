import { most, usualPageSize } from './ledger/limits.ts'
import { type PageQuery, pageOf } from './ledger/page.ts'
import { flag, type OutsOf, type RowsOf, type Shape, whole } from './shape.ts'
import { fromOne } from './usual.ts'
import { optional, usual } from './wrap.ts'

/** Which page of a list is asked for; pages count from 1. */
export const page = {
  page: usual(whole(1, 999_999_999), 1),
  pageSize: usual(whole(1, most.pageSize), usualPageSize),
}

/** Which page of a list that is short and known whole; without any, all of it. */
export const pageIfAny = {
  page: optional(page.page),
  pageSize: optional(page.pageSize),
}

/** How many there are of something. */
export const count: Shape<number> = whole(0, Number.MAX_SAFE_INTEGER)
/** Where a page lies in its list. */
export const place = {
  totalCount: count,
  page: fromOne,
  pageSize: count,
  hasMore: flag,
}

/** Where a page lies in a list of so many rows. */
export function placeOf(totalCount: number, query: PageQuery): OutsOf<typeof place> {
  const { items: _, ...found } = pageOf([], totalCount, query)
  return found
}

/** The page of a list that is known whole, and where it lies. */
export function pageOfWhole<T>(
  all: readonly T[],
  asked: RowsOf<typeof pageIfAny>,
): { readonly items: readonly T[]; readonly place: OutsOf<typeof place> } {
  const isWhole = asked.page === undefined && asked.pageSize === undefined
  const { page = 1, pageSize = isWhole ? all.length : usualPageSize } = asked
  const from = (page - 1) * pageSize
  return {
    items: all.slice(from, from + pageSize),
    place: placeOf(all.length, { page, pageSize }),
  }
}
