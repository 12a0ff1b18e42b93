import { request as plainRequest } from 'node:http'
import { request as secureRequest } from 'node:https'
import { reasonOf } from '../reason.ts'

export interface HttpAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly text: string
  readonly bytes: Buffer
  /** The parsed JSON object; empty where the body is none. */
  readonly body: Readonly<Record<string, unknown>>
}

export interface Ask {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  /** JSON, or a text or bytes that are sent as they are. */
  readonly body?: Readonly<Record<string, unknown>> | string | Uint8Array
  /** For what takes long, such as an archive. */
  readonly withinMs?: number
}

/** Unless the caller gives it longer. */
const answerWithinMs = 20_000

/** Asks once; rejects only when no answer came, and says whose. */
export function ask(
  origin: string,
  ca: string | undefined,
  { method, path, headers = {}, body, withinMs = answerWithinMs }: Ask,
): Promise<HttpAnswer> {
  const url = new URL(path, origin)
  const text =
    typeof body === 'object' && !(body instanceof Uint8Array) ? JSON.stringify(body) : body
  const start = url.protocol === 'https:' ? secureRequest : plainRequest
  return new Promise((resolve, reject) => {
    const broken = (error: Error) => {
      const why = error.name === 'AbortError' ? `none within ${withinMs} ms` : reasonOf(error)
      reject(
        new Error(`${method} ${url.origin}${url.pathname} got no answer: ${why}`, { cause: error }),
      )
    }
    const request = start(url, {
      method,
      headers: {
        ...(text !== undefined && {
          'content-type': 'application/json',
          'content-length': String(Buffer.byteLength(text)),
        }),
        ...headers,
      },
      ...(ca !== undefined && { ca }),
      signal: AbortSignal.timeout(withinMs),
    })
    request.once('error', broken)
    request.once('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.once('error', broken)
      response.once('end', () => {
        const bytes = Buffer.concat(chunks)
        const whole = bytes.toString('utf8')
        const { statusCode = 0, headers: found } = response
        resolve({ status: statusCode, headers: found, text: whole, bytes, body: objectIn(whole) })
      })
    })
    request.end(text)
  })
}

function objectIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}
