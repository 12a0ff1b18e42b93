import type { SeenVersion } from '@countersign/core'
import type { Result } from '@countersign/core/ledger'
import type { Context } from 'koa'
import { parseIfMatch } from './etag.ts'
import { type HostResult, refuse } from './refusal.ts'

interface VersionSource {
  readonly body: { readonly caseVersion?: number | undefined }
  readonly ctx: Context
}

/**
 * Calls `use` with the version that the caller saw: of If-Match where it names one, else of the body. One of the two
 * must be there (400 `required`).
 */
export async function atSeen<T>(
  call: VersionSource,
  use: (seen: SeenVersion) => Promise<Result<T>>,
): Promise<HostResult<T>> {
  const seen = seenOf(call)
  if (seen) return asPrecondition(call.ctx, await use(seen))
  const detail = 'expected caseVersion in the body or an If-Match header'
  return refuse('invalid_request', detail, {
    errors: [{ code: 'required', detail, pointer: '/caseVersion', parameter: null }],
  })
}

/** As `atSeen`, for callers who need not have seen any version. */
export async function atSeenOrAny<T>(
  call: VersionSource,
  use: (input: { readonly seen?: SeenVersion }) => Promise<Result<T>>,
): Promise<HostResult<T>> {
  const seen = seenOf(call)
  return asPrecondition(call.ctx, await use(seen ? { seen } : {}))
}

function seenOf({ body: { caseVersion }, ctx }: VersionSource): SeenVersion | null {
  return parseIfMatch(ctx.get('if-match')) ?? (caseVersion === undefined ? null : { caseVersion })
}

/** A version that came in If-Match is a precondition (RFC 9110 13.1.1): 412 instead of 409. */
function asPrecondition<T>(ctx: Context, result: Result<T>): HostResult<T> {
  if (result.ok || result.refusal.code !== 'version_conflict') return result
  if (parseIfMatch(ctx.get('if-match')) === null) return result
  return { ok: false, refusal: { ...result.refusal, code: 'precondition_failed' } }
}
