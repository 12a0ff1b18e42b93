import type { Exchange } from './client.ts'
import type { Request } from './request.ts'

/** One request as it was sent and what came back, for a report. */
export interface Wire {
  readonly method: string
  /** In the order in which they were sent; a header that came twice has two rows. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** Bytes of the body. */
  readonly bytes: number
  /** The body, or its first 4 KiB, as text; null when it is no UTF-8. */
  readonly body: string | null
  /** The same in base64, where it is no UTF-8. */
  readonly base64: string | null
  readonly status: number | null
  /** Why there was no status. */
  readonly error: string | null
  readonly ms: number
  /** The first 400 characters of the answer's body. */
  readonly answer: string
}

const mostBody = 4_096
const mostValue = 400
const mostAnswer = 400
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export function wireOf({ method, headers, body }: Request, exchange: Exchange): Wire {
  const text = textOf(body.subarray(0, mostBody))
  return {
    method,
    headers: Object.entries(headers).flatMap(([name, value]) =>
      (typeof value === 'string' ? [value] : value).map((one) => [name, cut(one)] as const),
    ),
    bytes: body.length,
    body: text,
    base64: text === null ? Buffer.from(body.subarray(0, mostBody)).toString('base64') : null,
    status: exchange.status,
    error: exchange.error,
    ms: Math.round(exchange.ms),
    answer: exchange.body.slice(0, mostAnswer),
  }
}

const cut = (text: string): string =>
  text.length <= mostValue
    ? text
    : `${text.slice(0, mostValue)}… (${text.length} characters in all)`

/** A cut may fall into a character: up to three bytes of its beginning are given up. */
function textOf(bytes: Uint8Array): string | null {
  for (let less = 0; less <= 3; less++)
    try {
      return utf8.decode(bytes.subarray(0, bytes.length - less))
    } catch {
      if (bytes.length < mostBody) return null
    }
  return null
}
