import type { ReceiverAnswer } from '../receiving/answer.ts'
import { noRoom, parsedBody, tooLarge, tooSlow } from '../receiving/body-faults.ts'
import type { Endpoint, Mountable } from '../receiving/endpoint.ts'
import { createBodyBuffer } from './body-buffer.ts'

/** Binds an endpoint to Request and Response. */
export function fetchHandler({ endpoint }: Mountable): (request: Request) => Promise<Response> {
  return async (request) => {
    const arrivedAt = endpoint.clock.monotonic()
    const { method, headers } = request
    const refused = endpoint.screen({ method, headers })
    if (refused) return respond(refused)
    if (request.bodyUsed || request.body?.locked)
      return respond(endpoint.refuse('body_already_parsed', parsedBody))
    const body = await readBody(endpoint, request)
    if (!(body instanceof Uint8Array)) return respond(body)
    return respond(await endpoint.answer({ method, headers, body }, arrivedAt))
  }
}

function respond(answer: ReceiverAnswer): Response {
  return new Response(answer.body, { status: answer.status, headers: answer.headers })
}

/** Reads the body within its limits of size and time, or refuses. */
async function readBody(
  endpoint: Endpoint,
  request: Request,
): Promise<Uint8Array | ReceiverAnswer> {
  const { clock, maxBodyBytes, ackDeadlineMs, room } = endpoint
  if (Number(request.headers.get('content-length')) > maxBodyBytes)
    return endpoint.refuse('body_too_large', tooLarge(maxBodyBytes))
  if (request.body === null) return new Uint8Array(0)
  const reader = request.body.getReader()
  let [late, evicted] = [false, false]
  const evict = () => {
    evicted = true
    stop()
  }
  const buffer = createBodyBuffer(maxBodyBytes, (bytes) => room.hold(request, bytes, evict))
  const cancelTimer = clock.after(ackDeadlineMs, () => {
    late = true
    stop()
  })
  // Rejects when the peer has disconnected.
  const stop = () => void reader.cancel().catch(() => undefined)
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (evicted) return endpoint.refuse('busy', noRoom)
      if (late) return endpoint.refuse('body_too_slow', tooSlow(buffer.length, ackDeadlineMs))
      if (done) return buffer.whole()
      if (value === undefined || buffer.add(value)) continue
      stop()
      return buffer.length + value.length > maxBodyBytes
        ? endpoint.refuse('body_too_large', tooLarge(maxBodyBytes))
        : endpoint.refuse('busy', noRoom)
    }
  } catch (error) {
    return endpoint.refuse('unreadable_body', `the body broke off: ${String(error)}`)
  } finally {
    cancelTimer()
    room.release(request)
  }
}
