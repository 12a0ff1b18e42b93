import type { ReceiverAnswer } from '../receiving/answer.ts'
import { noRoom, parsedBody, tooLarge, tooSlow } from '../receiving/body-faults.ts'
import type { Endpoint, Mountable } from '../receiving/endpoint.ts'
import { createBodyBuffer } from './body-buffer.ts'
import { givenBody, type MaybeParsed } from './raw-body.ts'

/** The part of `http.IncomingMessage` that is read, and the members of body parsers. */
export interface NodeRequest extends MaybeParsed {
  readonly method?: string | undefined
  /** Unlike `headers`, shows duplicates. */
  readonly rawHeaders: readonly string[]
  readonly headers: {
    readonly 'content-length'?: string | undefined
    readonly 'transfer-encoding'?: string | undefined
  }
  readonly httpVersionMajor?: number
  readonly readableDidRead?: boolean
  on(event: 'data', listener: (chunk: Uint8Array) => void): unknown
  on(event: 'end' | 'close' | 'error', listener: () => void): unknown
  pause(): unknown
}

/** The part of `http.ServerResponse` that is written. */
export interface NodeResponse {
  writeHead(status: number, headers: Readonly<Record<string, string>>): unknown
  end(): unknown
  end(body: string): unknown
}

/** Request listener for `node:http`, `node:https` and frameworks on top of them, such as Express and NestJS. */
export function nodeHandler({
  endpoint,
}: Mountable): (request: NodeRequest, response: NodeResponse) => Promise<void> {
  return async (request, response) => {
    const { status, headers, body } = await answerNode(endpoint, request, request)
    response.writeHead(status, headers)
    if (body === null) response.end()
    else response.end(body)
  }
}

/** Answers a Node request; `given` is the object on which a body parser leaves its result. */
export async function answerNode(
  endpoint: Endpoint,
  request: NodeRequest,
  given: MaybeParsed,
): Promise<ReceiverAnswer> {
  const arrivedAt = endpoint.clock.monotonic()
  const { method = '', rawHeaders: headers } = request
  const refused = endpoint.screen({ method, headers })
  if (refused) return hasUnreadBody(request) ? closing(request, refused) : refused
  const kept = givenBody(given)
  const body = kept instanceof Uint8Array ? kept : await readRequest(endpoint, request, kept)
  if (!(body instanceof Uint8Array)) return body
  return endpoint.answer({ method, headers, body }, arrivedAt)
}

function readRequest(
  endpoint: Endpoint,
  request: NodeRequest,
  kept: 'parsed' | null,
): Uint8Array | ReceiverAnswer | Promise<Uint8Array | ReceiverAnswer> {
  if (kept === 'parsed' || request.readableDidRead)
    return endpoint.refuse('body_already_parsed', parsedBody)
  if (Number(request.headers['content-length']) > endpoint.maxBodyBytes)
    return closing(request, endpoint.refuse('body_too_large', tooLarge(endpoint.maxBodyBytes)))
  return collect(endpoint, request)
}

/** Reads the body within its limits of size and time, or refuses. */
function collect(endpoint: Endpoint, request: NodeRequest): Promise<Uint8Array | ReceiverAnswer> {
  const { clock, maxBodyBytes, ackDeadlineMs, room } = endpoint
  return new Promise((resolve) => {
    const evict = () => cut(() => endpoint.refuse('busy', noRoom))
    const buffer = createBodyBuffer(maxBodyBytes, (bytes) => room.hold(request, bytes, evict))
    let over = false
    const finish = (result: () => Uint8Array | ReceiverAnswer) => {
      if (over) return
      over = true
      cancelTimer()
      room.release(request)
      resolve(result())
    }
    const cut = (refusal: () => ReceiverAnswer) =>
      finish(() => {
        request.pause()
        return closing(request, refusal())
      })
    const cancelTimer = clock.after(ackDeadlineMs, () =>
      cut(() => endpoint.refuse('body_too_slow', tooSlow(buffer.length, ackDeadlineMs))),
    )
    request.on('data', (chunk) => {
      if (over || buffer.add(chunk)) return
      if (buffer.length + chunk.length <= maxBodyBytes) evict()
      else cut(() => endpoint.refuse('body_too_large', tooLarge(maxBodyBytes)))
    })
    request.on('end', () => finish(buffer.whole))
    const broken = () => finish(() => endpoint.refuse('unreadable_body', 'the body broke off'))
    request.on('error', broken)
    request.on('close', broken)
  })
}

function hasUnreadBody({ headers, readableDidRead }: NodeRequest): boolean {
  const length = headers['content-length'] ?? '0'
  return !readableDidRead && (length !== '0' || headers['transfer-encoding'] !== undefined)
}

/** Closes the connection, as the rest of the body stays unread; HTTP/2 resets the stream only. */
function closing(request: NodeRequest, answer: ReceiverAnswer): ReceiverAnswer {
  if ((request.httpVersionMajor ?? 1) >= 2) return answer
  return { ...answer, headers: { ...answer.headers, connection: 'close' } }
}
