/** Pages count from 1. */
export interface PageQuery {
  readonly page: number
  readonly pageSize: number
}

export interface Page<T> {
  readonly items: readonly T[]
  readonly totalCount: number
  readonly page: number
  readonly pageSize: number
  readonly hasMore: boolean
}

/** One page of a list: what was found of it, and of how many. */
export function pageOf<T>(items: readonly T[], totalCount: number, query: PageQuery): Page<T> {
  const { page, pageSize } = query
  return { items, totalCount, page, pageSize, hasMore: page * pageSize < totalCount }
}
