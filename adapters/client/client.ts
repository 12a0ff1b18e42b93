import type { Caller } from './call.ts'
import { environmentKey, ingestHeaders, originOf } from './credentials.ts'
import type { IngestApi } from './ingest-api.ts'
import { ingestOperations } from './ingest-operations.ts'
import { methodsOf } from './methods.ts'
import type { CalledBack, ReviewOutcome } from './outcome.ts'
import { mostAnswerBytes } from './read-answer.ts'
import { type ReviewRequest, requestsOf } from './request.ts'
import { type Surroundings, surroundingsOf } from './surroundings.ts'
import type { WaitOptions } from './wait-options.ts'

/** Options of `createClient`. */
export interface ClientOptions {
  /** Origin of the ingest host: https, or http on loopback. */
  readonly ingestUrl: string
  /** An application key or a whole customer key; default the environment's `SERVICE_API_KEY`. */
  readonly apiKey?: string
  /** Ms until a call rejects with `deadline_exceeded`; default 30,000. */
  readonly deadlineMs?: number
  /** Bytes of an answer beyond which a call rejects with `answer_too_large`; default 128 MiB. Streams have no limit. */
  readonly maxAnswerBytes?: number
  /** What to use instead of the global fetch, timers and randomness. */
  readonly surroundings?: Partial<Surroundings>
}

/** The ingest host, as an application or its backend calls it. */
export type Client = Omit<IngestApi, 'reviewCases'> & {
  readonly reviewCases: IngestApi['reviewCases'] & {
    /**
     * Asks a human and waits for the outcome, for as long as the case is open. The same request again leads to the same
     * case, so that an application which was restarted asks again and goes on waiting, or learns what was decided.
     * Rejects with an ApiError where the request is refused; a service that does not answer is waited for. What is
     * asked is what both arguments hold when they are given; a TypeError tells what has no JSON, or an option that is
     * not known.
     */
    request(asked: ReviewRequest, options?: WaitOptions): Promise<ReviewOutcome>
    /** Hands a verified outcome callback to who waits for its case; false where nobody does in this process. */
    settle(outcome: CalledBack): boolean
  }
}

/**
 * Creates a client of the ingest host. Throws a TypeError for an origin or a key that can't be one.
 *
 * @example
 * ```ts
 * import { createClient } from '@countersign/client'
 *
 * const countersign = createClient({ ingestUrl: 'https://ingest.example.com', apiKey })
 * const { approved } = await countersign.reviewCases.request({
 *   sessionId: 'run-4711',
 *   checkpointId: 'before-payment',
 *   reasonCategory: 'high_risk_action',
 *   presentation: { action: 'pay', amount: '1200 EUR' },
 * })
 * if (approved) await pay()
 * ```
 */
export function createClient(options: ClientOptions): Client {
  const key = options.apiKey ?? environmentKey()
  if (key === undefined) throw new TypeError('apiKey: expected a key, here or in SERVICE_API_KEY')
  const headers = ingestHeaders(key)
  const surroundings = surroundingsOf(options.surroundings)
  const caller: Caller = {
    origin: originOf('ingestUrl', options.ingestUrl),
    headers: () => headers,
    surroundings,
    deadlineMs: options.deadlineMs ?? 30_000,
    longestWaitMs: Infinity,
    maxAnswerBytes: options.maxAnswerBytes ?? mostAnswerBytes,
  }
  const api = methodsOf(caller, ingestOperations) as unknown as IngestApi
  const { reviewCases } = api
  const requests = requestsOf(
    {
      open: (input, signal) => reviewCases.open(input, { signal }),
      read: (seen, signal) => reviewCases.read({ case: seen }, { signal }),
      answerFollowUp: (seen, answer, signal) =>
        reviewCases.answerFollowUp({ case: seen, answer }, { signal }),
      cancel: (input, signal) => reviewCases.cancel(input, { signal }),
    },
    surroundings,
    caller.deadlineMs,
  )
  return { ...api, reviewCases: { ...reviewCases, ...requests } }
}
