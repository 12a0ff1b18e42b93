import { most } from './limits.ts'
import { type FieldError, ok, type Result, refuse } from './refusal.ts'

/** Pages count from 1. */
export interface PageQuery {
  readonly page: number
  readonly pageSize: number
}

/** One page of a list. */
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

/** Rows up to the end of a page that a store may count its way to, in lists that have a cursor as well. */
export const deepestRow = 10_000

/** Totals are counted up to it: it says that there are more than a page can reach. */
export const mostCounted: number = deepestRow + 1

/** As `checkPage`, for a list that can be read behind a cursor: pages reach so far, a cursor any row. */
export function checkShallowPage(query: PageQuery): Result<null> {
  const checked = checkPage(query)
  const { page, pageSize } = query
  if (!checked.ok || page * pageSize <= deepestRow) return checked
  const detail = `page: expected page × pageSize of at most ${deepestRow}, got ${page} × ${pageSize}; read further by limit and after, the next of the answer before`
  return refuse('invalid_request', detail, {
    errors: [{ code: 'invalid_value', detail, pointer: null, parameter: 'page' }],
  })
}

/** Beyond it the number of rows to skip would not be exact. */
const lastPage = Math.floor(Number.MAX_SAFE_INTEGER / most.pageSize)

/** Pages count from 1 and hold at most 100 (interface, Limits); more is refused, not clamped. */
export function checkPage({ page, pageSize }: PageQuery): Result<null> {
  const errors = [
    ...checkCount('page', page, lastPage),
    ...checkCount('pageSize', pageSize, most.pageSize),
  ]
  const [first] = errors
  return first ? refuse('invalid_request', first.detail, { errors }) : ok(null)
}

export function checkCount(parameter: string, came: number, last: number): readonly FieldError[] {
  if (Number.isSafeInteger(came) && came >= 1 && came <= last) return []
  const detail = `${parameter}: expected an integer from 1 to ${last}, got ${came}`
  return [{ code: 'invalid_value', detail, pointer: null, parameter }]
}
