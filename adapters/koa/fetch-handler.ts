import { request as ask, createServer, type IncomingMessage } from 'node:http'
import { type Duplex, duplexPair, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import type Koa from 'koa'

/** Serves a request of the Fetch API. */
export type FetchHandler = (request: Request) => Promise<Response>

/** Options of `fetchHandler`. */
export interface FetchHandlerOptions {
  /** The address of whom the request comes from, which rates and login throttles count by; 127.0.0.1 unless given. */
  readonly addressOf?: (request: Request) => string
}

/** Statuses whose responses have no body (Fetch, null body status). */
const bodiless: ReadonlySet<number> = new Set([101, 103, 204, 205, 304])

/**
 * An app of `createApp` for hosts that speak Fetch instead of Node's `(req, res)`. Each request is carried to the app
 * over a connection in memory, so that everything the app does with one (back-pressure, broken-off bodies, stalled
 * answers) works as over the network. Answers are streamed; a signal that aborts, and a body that is cancelled, close
 * the connection. Rejects when the connection broke before an answer came.
 */
export function fetchHandler(app: Koa, options: FetchHandlerOptions = {}): FetchHandler {
  const { addressOf = () => '127.0.0.1' } = options
  const answer = app.callback()
  const server = createServer((request, response) => void answer(request, response))

  return (request) =>
    new Promise((resolve, reject) => {
      const { pathname, search, host } = new URL(request.url)
      const [near, far] = connection()
      server.emit('connection', Object.assign(far, { remoteAddress: addressOf(request) }))
      const asked = ask({
        createConnection: () => near,
        method: request.method,
        path: pathname + search,
        headers: { host, ...Object.fromEntries(request.headers) },
        signal: request.signal,
      })
      asked.once('response', (answer) => resolve(responseOf(request, answer)))
      asked.once('error', reject)
      if (!request.body) asked.end()
      // An app that refuses a body reads no further: what matters then is its answer, not the rest of the body.
      else pipeline(Readable.fromWeb(request.body as ReadableStream), asked).catch(() => {})
    })
}

/** The caller's end and the app's; where one breaks, the other does. */
function connection(): [near: Duplex, far: Duplex] {
  const [near, far] = duplexPair()
  near.once('close', () => far.destroy())
  // What the app wrote to the end has been taken.
  far.once('close', () => far.writableFinished || near.destroy())
  return [near, far]
}

function responseOf({ method }: Request, answer: IncomingMessage): Response {
  const { statusCode = 500, statusMessage = '', headersDistinct } = answer
  const headers = new Headers()
  for (const [name, values = []] of Object.entries(headersDistinct))
    for (const value of values) headers.append(name, value)
  // Of this hop alone (RFC 9110 7.6.1).
  for (const name of ['connection', 'keep-alive', 'transfer-encoding']) headers.delete(name)
  const init = { status: statusCode, statusText: statusMessage, headers }
  if (method === 'HEAD' || bodiless.has(statusCode)) {
    answer.resume()
    return new Response(null, init)
  }
  return new Response(Readable.toWeb(answer) as unknown as ReadableStream<Uint8Array>, init)
}
