import type { Answer } from './answer.ts'
import type { Endpoint } from './endpoint.ts'
import { joined, parsedBody, tooLarge, tooSlow } from './raw-body.ts'

/** Binds an endpoint to Request and Response. */
export function fetchHandler(endpoint: Endpoint): (request: Request) => Promise<Response> {
  return async (request) => {
    const arrivedAt = endpoint.clock.monotonic()
    const { method, headers } = request
    if (request.bodyUsed) return respond(endpoint.refuse('body_already_parsed', parsedBody))
    const body = await readBody(endpoint, request)
    if (!(body instanceof Uint8Array)) return respond(body)
    return respond(await endpoint.answer({ method, headers, body }, arrivedAt))
  }
}

function respond(answer: Answer): Response {
  return new Response(answer.body, { status: answer.status, headers: answer.headers })
}

/** The whole body, bounded in size and time, or the refusal. */
async function readBody(endpoint: Endpoint, request: Request): Promise<Uint8Array | Answer> {
  const { clock, maxBodyBytes, ackDeadlineMs } = endpoint
  if (Number(request.headers.get('content-length')) > maxBodyBytes)
    return endpoint.refuse('body_too_large', tooLarge(maxBodyBytes))
  if (request.body === null) return new Uint8Array(0)
  const reader = request.body.getReader()
  const chunks: Uint8Array[] = []
  let length = 0
  let late = false
  const cancelTimer = clock.after(ackDeadlineMs, () => {
    late = true
    stop()
  })
  // The peer may have gone, and then there is nobody to tell.
  const stop = () => void reader.cancel().catch(() => undefined)
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (late) return endpoint.refuse('body_too_slow', tooSlow(length, ackDeadlineMs))
      if (done) return joined(chunks, length)
      if (value === undefined) continue
      length += value.length
      if (length > maxBodyBytes) {
        stop()
        return endpoint.refuse('body_too_large', tooLarge(maxBodyBytes))
      }
      chunks.push(value)
    }
  } catch (error) {
    return endpoint.refuse('unreadable_body', `the body broke off: ${String(error)}`)
  } finally {
    cancelTimer()
  }
}
