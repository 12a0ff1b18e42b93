import type { Caller } from './call.ts'
import { checkToken, originOf } from './credentials.ts'
import { methodsOf } from './methods.ts'
import type { PortalApi } from './portal-api.ts'
import { portalOperations } from './portal-operations.ts'
import { mostAnswerBytes } from './read-answer.ts'
import { type Surroundings, surroundingsOf } from './surroundings.ts'

export type * from './portal-api.ts'

/** Options of `createPortalClient`. */
export interface PortalClientOptions {
  /** Origin of the portal host: https, or http on loopback. */
  readonly portalUrl: string
  /** A session token; absent before `auth.login`, and in browsers, which keep the cookie themselves. */
  readonly token?: string
  /** False: the browser keeps the session's cookie, and `auth.login` leaves the token that it answers; default true. */
  readonly keepsToken?: boolean
  /** Reads and changes nothing but the shared sandbox. */
  readonly sandbox?: boolean
  /** Ms until a call rejects with `deadline_exceeded`; default 30,000. */
  readonly deadlineMs?: number
  /**
   * Ms that a repeat may be waited for; a call for which the service asks more rejects at once. Default: the deadline.
   */
  readonly longestWaitMs?: number
  /** Bytes of an answer beyond which a call rejects with `answer_too_large`; default 128 MiB. Streams have no limit. */
  readonly maxAnswerBytes?: number
  /** What to use instead of the global fetch, timers and randomness. */
  readonly surroundings?: Partial<Surroundings>
}

/** The portal host, as a member calls it. */
export type PortalClient = PortalApi

/**
 * Creates a client of the portal host; `auth.login` logs it in. Throws a TypeError for what can't be an origin.
 *
 * @example
 * ```ts
 * import { createPortalClient } from '@countersign/client/portal'
 *
 * const portal = createPortalClient({ portalUrl: 'https://portal.example.com' })
 * await portal.auth.login({ email: 'ruth@example.com', password })
 * for await (const { reviewCaseId } of portal.reviewCases.list({ state: 'open' }))
 *   console.log(reviewCaseId)
 * ```
 */
export function createPortalClient(options: PortalClientOptions): PortalClient {
  let { token } = options
  checkToken(token)
  const caller: Caller = {
    origin: originOf('portalUrl', options.portalUrl),
    headers: () => ({
      ...(token !== undefined && { cookie: `service_customer_token=${token}` }),
      ...(options.sandbox && { 'x-service-sandbox': 'true' }),
    }),
    surroundings: surroundingsOf(options.surroundings),
    deadlineMs: options.deadlineMs ?? 30_000,
    longestWaitMs: options.longestWaitMs ?? Infinity,
    maxAnswerBytes: options.maxAnswerBytes ?? mostAnswerBytes,
  }
  const api = methodsOf(caller, portalOperations) as unknown as PortalApi
  return {
    ...api,
    auth: {
      ...api.auth,
      login: async (input, more) => {
        const session = await api.auth.login(input, more)
        if (options.keepsToken ?? true) token = session.token
        return session
      },
      logout: async (input, more) => {
        const ended = await api.auth.logout(input, more)
        token = undefined
        return ended
      },
    },
  }
}
