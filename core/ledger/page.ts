import { type FieldError, ok, type Result, refuse } from './refusal.ts'

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

export const longestPage = 100
/** Beyond it the number of rows to skip would not be exact. */
const lastPage = Math.floor(Number.MAX_SAFE_INTEGER / longestPage)

/** Pages count from 1 and hold at most 100 (interface, Limits); more is refused, not clamped. */
export function checkPage({ page, pageSize }: PageQuery): Result<null> {
  const errors = [
    ...checkCount('page', page, lastPage),
    ...checkCount('pageSize', pageSize, longestPage),
  ]
  const [first] = errors
  return first ? refuse('invalid_request', first.detail, { errors }) : ok(null)
}

export function checkCount(parameter: string, came: number, most: number): readonly FieldError[] {
  if (Number.isSafeInteger(came) && came >= 1 && came <= most) return []
  const detail = `${parameter}: expected an integer from 1 to ${most}, got ${came}`
  return [{ code: 'invalid_value', detail, pointer: null, parameter }]
}
