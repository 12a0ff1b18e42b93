import type { Route } from '../operation.ts'
import { changes, isOwnInAnyMode } from '../permit.ts'
import type { ErrorCode } from '../refusal.ts'

/** Codes of answers that no route gives: to an unknown path or method, or to what is no request. */
export const codesWithoutRoute: readonly ErrorCode[] = [
  'invalid_request',
  'not_found',
  'method_not_allowed',
  'internal',
]

/** What every route may answer: rates, negotiation, parameters, and what became of the service itself. */
const ofEvery: readonly ErrorCode[] = [
  'invalid_request',
  'not_acceptable',
  'rate_limited',
  'busy',
  'unavailable',
  'internal',
]

/** Every code with which an operation may refuse: its own and those that follow from its row. */
export function errorCodesOf(row: Route): ReadonlySet<ErrorCode> {
  const { host, method, auth, refuses } = row
  const reads = method === 'GET'
  const inSandbox = host === 'portal' && !isOwnInAnyMode(row)
  return new Set<ErrorCode>([
    ...ofEvery,
    ...refuses,
    ...only(auth !== 'none', 'authentication_required'),
    ...only(auth !== 'none' && auth !== 'staff', 'account_suspended'),
    ...only(row.right !== null, 'forbidden'),
    ...only(row.feature !== null, 'plan_required'),
    ...only(auth === 'application' || auth === 'customerKey', 'application_gone'),
    ...only(host === 'portal' && !reads, 'cross_site'),
    ...only(host !== 'portal' || (inSandbox && changes(row)), 'sandbox_read_only'),
    // Of a path's id, or of the sandbox where there is none.
    ...only(row.path.includes('/:') || (inSandbox && auth === 'member'), 'not_found'),
    ...only(row.throttled, 'too_many_attempts'),
    ...only(
      row.body.types.length > 0,
      'unsupported_media_type',
      'body_too_large',
      'body_already_parsed',
    ),
    ...only(refuses.includes('version_conflict'), 'precondition_failed'),
  ])
}

function only(holds: boolean, ...codes: readonly ErrorCode[]): readonly ErrorCode[] {
  return holds ? codes : []
}
