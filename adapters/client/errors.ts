import type { CaseAnswer, ErrorAnswer } from './types.ts'

/** Codes of errors that no answer of the service told. */
export type LocalCode =
  /** No answer came: the request may or may not have been carried out. */
  | 'no_answer'
  /** `deadlineMs` passed. */
  | 'deadline_exceeded'
  /** What answered is not the service: a proxy, a redirect, another version. */
  | 'unexpected_answer'
  /** The answer has more bytes than `maxAnswerBytes`; what was asked for may have been carried out. */
  | 'answer_too_large'
  /** A wait was left that should cancel its case, and the case may still be open; `cause` is why. */
  | 'not_cancelled'
  /** No pinned key of a reviewer signed the decision of what was asked. */
  | 'decision_not_signed'
  /** One signed it, but longer ago than `maxAgeMs`, or at another time than it may have been. */
  | 'decision_out_of_time'

/** Every code of an ApiError. */
export type ApiErrorCode = ErrorAnswer['code'] | LocalCode

/** One fault of the input, and its place. */
export type ApiFault = ErrorAnswer['errors'][number]

/** A refusal of the service, or the lack of an answer. `code` is stable, for programs; the message is for people. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly code: ApiErrorCode
  /** HTTP status; null where no answer came. */
  readonly status: number | null
  /** Of the service's log; null where no answer came. */
  readonly requestId: string | null
  /** What was wrong with the input; empty where no answer came. */
  readonly errors: readonly ApiFault[]
  /** Seconds after which another try makes sense; null where the service named none. */
  readonly retryAfter: number | null
  /** The case as it is now; with `version_conflict` and `precondition_failed`. */
  readonly case: CaseAnswer | null
  /** Whether nothing was changed for sure. */
  readonly unwritten: boolean
  /** Whether another try would meet the same: the host's name is unknown, or its certificate refused. */
  readonly lasting: boolean
  /** The whole error body; null where there was none. */
  readonly body: Partial<ErrorAnswer> | null

  constructor(
    code: ApiErrorCode,
    detail: string,
    more: {
      readonly status?: number
      readonly retryAfter?: number | null
      readonly unwritten?: boolean
      readonly lasting?: boolean
      readonly body?: Partial<ErrorAnswer>
      readonly cause?: unknown
    } = {},
  ) {
    super(`${code}: ${detail}`, more.cause === undefined ? undefined : { cause: more.cause })
    this.code = code
    this.status = more.status ?? null
    this.retryAfter = more.retryAfter ?? null
    this.unwritten = more.unwritten ?? false
    this.lasting = more.lasting ?? false
    this.body = more.body ?? null
    this.requestId = more.body?.requestId ?? null
    this.errors = more.body?.errors ?? []
    this.case = more.body?.case ?? null
  }
}

/**
 * Returns a handler for `catch` that gives null for errors of these codes, and throws any other on.
 *
 * @example
 * ```ts
 * import { createClient, nullFor } from '@countersign/client'
 *
 * const { reviewCases } = createClient({ ingestUrl: 'https://ingest.example.com', apiKey })
 * const place = { sessionId: 'run-4711', checkpointId: 'pay-1' }
 * const review = await reviewCases.find(place).catch(nullFor('not_found')) // null where nobody asked
 * ```
 */
export function nullFor(...codes: readonly ApiErrorCode[]): (error: unknown) => null {
  return (error) => {
    if (error instanceof ApiError && codes.includes(error.code)) return null
    throw error
  }
}

const prefix = 'urn:countersign:error:'

/** The error that an answer tells, by the bytes of its body; absent where they could not be read. */
export function errorOf(answer: Response, bytes?: Uint8Array): ApiError {
  const { status } = answer
  const retryAfter = retryAfterOf(answer.headers)
  const body: Partial<ErrorAnswer> | null = jsonObject(bytes)
  // On the route of OTLP `code` is a number; `type` names it everywhere.
  const type = body?.type
  if (!body || typeof type !== 'string' || !type.startsWith(prefix))
    return new ApiError('unexpected_answer', `got status ${status} and no error of the service`, {
      status,
      retryAfter,
      unwritten: status === 429,
    })
  const code = type.slice(prefix.length) as ErrorAnswer['code']
  return new ApiError(code, body.detail ?? code, {
    status,
    retryAfter,
    // All but a store that failed midway refuse before they write.
    unwritten: status < 500 || code === 'busy' || body.written === false,
    body,
  })
}

/** Whether a call may end otherwise the next time: the service, or a proxy in front of it, is away or busy. */
export function passes({ code, status, lasting }: ApiError): boolean {
  if (status === null) return code === 'no_answer' && !lasting
  if (status === 429 || status === 503) return true
  return code === 'unexpected_answer' && (status === 408 || status >= 500)
}

/** Seconds of a Retry-After, which may be a date, by the clock of the sender where it is told. */
function retryAfterOf(headers: Headers): number | null {
  const told = headers.get('retry-after')
  if (!told) return null
  const now = Date.parse(headers.get('date') ?? '') || Date.now()
  const given = Number(told)
  const seconds = Number.isNaN(given) ? Math.ceil((Date.parse(told) - now) / 1_000) : given
  return Number.isFinite(seconds) ? Math.max(0, seconds) : null
}

/** The JSON object that bytes are; null for any others. */
export function jsonObject(bytes?: Uint8Array): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes))
    return typeof value === 'object' && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>> | null)
      : null
  } catch {
    return null
  }
}
