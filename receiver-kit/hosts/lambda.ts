import type { Receiver } from '../join-receiver.ts'
import type { ReceiverAnswer } from '../receiving/answer.ts'
import { parsedBody, tooLarge } from '../receiving/body-faults.ts'
import type { Endpoint, Mountable } from '../receiving/endpoint.ts'

type Values<T> = Readonly<Record<string, T | undefined>> | null | undefined

/** The part that is read of API Gateway's events (payload 1.0 and 2.0), function URLs and load balancers. */
export interface LambdaEvent {
  /** Payload 2.0 has the method at `http.method`. */
  readonly requestContext?: object | null | undefined
  readonly httpMethod?: string | undefined
  readonly headers?: Values<string>
  readonly multiValueHeaders?: Values<readonly string[]>
  readonly body?: string | null | undefined
  readonly isBase64Encoded?: boolean | undefined
}

/** What a Lambda function returns to its gateway or function URL. */
export interface LambdaResult {
  readonly statusCode: number
  readonly headers: Readonly<Record<string, string>>
  /** Present when the event had only multi-value headers. */
  readonly multiValueHeaders?: Readonly<Record<string, string[]>>
  readonly body: string
}

const utf8 = new TextEncoder()

/**
 * An AWS Lambda handler. A function is frozen once it has answered, so the handlers of events run in a function of
 * their own (`lambdaScheduledHandler`).
 */
export function lambdaHandler({
  endpoint,
}: Mountable): (event: LambdaEvent | null | undefined) => Promise<LambdaResult> {
  return async (given) => {
    // A test invocation in the console may send null, and any other JSON.
    const event: LambdaEvent = typeof given === 'object' && given !== null ? given : {}
    const arrivedAt = endpoint.clock.monotonic()
    const method = event.httpMethod ?? methodOf(event.requestContext) ?? ''
    // Only multi-value headers show duplicates; payload 2.0 joins them with a comma.
    const headers = event.multiValueHeaders ?? event.headers ?? {}
    const answer =
      endpoint.screen({ method, headers }) ??
      (await answerBody(endpoint, event, (body) =>
        endpoint.answer({ method, headers, body }, arrivedAt),
      ))
    const result = { statusCode: answer.status, headers: answer.headers, body: answer.body ?? '' }
    // A load balancer with multi-value headers enabled ignores `headers` in the answer.
    if (event.headers || !event.multiValueHeaders) return result
    const lists = Object.entries(answer.headers).map(([name, value]) => [name, [value]])
    return { ...result, multiValueHeaders: Object.fromEntries(lists) }
  }
}

/** Handler of a scheduled function: runs the handlers of all due entries. */
export function lambdaScheduledHandler(receiver: Pick<Receiver, 'drain'>): () => Promise<void> {
  return async () => {
    await receiver.drain()
  }
}

function methodOf(
  context: { readonly http?: { readonly method?: string } | null } | null | undefined,
): string | undefined {
  return context?.http?.method
}

function answerBody(
  endpoint: Endpoint,
  event: LambdaEvent,
  answer: (body: Uint8Array) => Promise<ReceiverAnswer>,
): Promise<ReceiverAnswer> | ReceiverAnswer {
  const { maxBodyBytes } = endpoint
  // A JSON middleware, such as middy's, leaves an object.
  if (typeof (event.body ?? '') !== 'string')
    return endpoint.refuse('body_already_parsed', parsedBody)
  // Refused before decoding: base64 has 4 characters per 3 bytes, text at most one per byte.
  if ((event.body ?? '').length > (maxBodyBytes + 3) * 2)
    return endpoint.refuse('body_too_large', tooLarge(maxBodyBytes))
  const body = bytesOf(event)
  return body === null
    ? endpoint.refuse('unreadable_body', 'the event says base64, its body is not')
    : answer(body)
}

function bytesOf({ body, isBase64Encoded }: LambdaEvent): Uint8Array | null {
  const text = body ?? ''
  if (!isBase64Encoded) return utf8.encode(text)
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return null
  }
}
