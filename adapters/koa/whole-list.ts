import type { ListQuery } from '@countersign/core'
import { type Page, type PageQuery, pageOf } from '@countersign/core/ledger'

interface Asked {
  readonly page?: number | undefined
  readonly pageSize?: number | undefined
}

/** The page that was asked for, or null: lists without mandatory paging are whole then. */
export function askedPage({ page, pageSize }: Asked): PageQuery | null {
  if (page === undefined && pageSize === undefined) return null
  return { page: page ?? 1, pageSize: pageSize ?? 20 }
}

export const firstPage: PageQuery = { page: 1, pageSize: 20 }

interface AskedPart extends Asked {
  readonly after?: string | undefined
  readonly limit?: number | undefined
}

/** The page or the part behind a cursor that was asked for, or null. */
export function askedPart({ after, limit, ...page }: AskedPart): ListQuery | null {
  if (after === undefined && limit === undefined) return askedPage(page)
  return { after: after ?? null, limit: limit ?? 20 }
}

/** As `askedPart`, the first page where none was asked for. */
export function partOf(asked: AskedPart): ListQuery {
  return askedPart(asked) ?? firstPage
}

/** A list that is known whole, as a page. */
export function pageOfWhole<T>(items: readonly T[], asked: Asked): Page<T> {
  const query = askedPage(asked)
  if (!query) return pageOf(items, items.length, { page: 1, pageSize: items.length })
  const from = (query.page - 1) * query.pageSize
  return pageOf(items.slice(from, from + query.pageSize), items.length, query)
}
