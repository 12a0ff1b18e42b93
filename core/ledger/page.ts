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
