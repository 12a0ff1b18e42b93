import { type Observer, type Random, StoreError } from '@countersign/core/ports'
import type { Context, Middleware } from 'koa'
import { sendRefusal } from './errors.ts'
import { type Refused, refuse } from './refusal.ts'

const given = /^[A-Za-z0-9._-]{1,64}$/

/**
 * Comes first in an app: names the request, turns what nobody expected into a 500 without a word of its cause,
 * and answers paths and methods that no route has (the router's `allowedMethods()` tells the latter).
 */
export function requestContext(options: {
  readonly random: Random
  readonly observer: Observer
}): Middleware {
  return async (ctx, next) => {
    const asked = ctx.get('x-request-id')
    const requestId = given.test(asked)
      ? asked
      : Buffer.from(options.random.bytes(12)).toString('hex')
    ctx.state.requestId = requestId
    ctx.set('X-Request-Id', requestId)
    ctx.set('X-Content-Type-Options', 'nosniff')
    ctx.set('Cache-Control', 'no-store')
    if (!hasReadableUrl(ctx))
      return sendRefusal(
        ctx,
        refuse('invalid_request', 'expected a URL that can be parsed').refusal,
      )
    try {
      await next()
    } catch (error) {
      options.observer.event('http.unexpected_error', {
        requestId,
        method: ctx.method,
        route: String(ctx._matchedRoute ?? 'none'),
        error: (error as Error).stack ?? String(error),
      })
      return sendRefusal(ctx, refusalOf(error).refusal)
    }
    if (ctx.body !== undefined) return
    const allowed = ctx.response.get('Allow')
    if (allowed && (ctx.status === 405 || ctx.status === 501)) {
      const detail = `expected ${allowed}, got ${ctx.method}`
      sendRefusal(ctx, refuse('method_not_allowed', detail).refusal)
    } else if (ctx.status === 404 || ctx.status === 501) {
      ctx.remove('Allow')
      sendRefusal(ctx, refuse('not_found', 'no such resource').refusal)
    }
  }
}

/** A request line may hold what no URL is, such as `http://[::bad/`; Koa throws when it is first asked for the path. */
function hasReadableUrl(ctx: Context): boolean {
  try {
    return typeof ctx.path === 'string'
  } catch {
    return false
  }
}

function refusalOf(error: unknown): Refused {
  const code = error instanceof StoreError ? error.code : null
  switch (code) {
    // Full or locked at this moment, or closing because the server stops.
    case 'full':
    case 'busy':
    case 'closed': {
      const detail = 'nothing was written; the same request may be sent again'
      return refuse('unavailable', detail, { retryAfter: 1, facts: { written: false } })
    }
    // What can't be read now may be read later, or from a backup: no fault of the request.
    case 'io':
    case 'corrupt': {
      const detail = 'whether this was done is not known; look before it is sent again'
      return refuse('unavailable', detail, { retryAfter: 1, facts: { written: null } })
    }
    default:
      return refuse('internal', 'something unexpected happened; the request id finds it in the log')
  }
}
