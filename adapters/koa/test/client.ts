import { type IncomingMessage, request } from 'node:http'

export interface Asked {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  /** An object goes as JSON with its Content-Type; text and bytes go as they are. */
  readonly body?: unknown
}

export interface Answered {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly text: string
  readonly bytes?: Uint8Array
  /** The body where it is a JSON object, else empty. */
  readonly json: Readonly<Record<string, unknown>>
}

/** The code of an error; on the route of OTLP `code` is a number, and `type` tells it. */
export function codeOf({ json }: Pick<Answered, 'json'>): string | undefined {
  const prefix = 'urn:countersign:error:'
  const { type } = json
  return typeof type === 'string' && type.startsWith(prefix) ? type.slice(prefix.length) : undefined
}

/** One request on a connection of its own, with nothing added to what was asked but Host and lengths. */
export function send(port: number, { method, path, headers = {}, body }: Asked): Promise<Answered> {
  const raw = typeof body === 'string' || body instanceof Uint8Array
  const sent = body === undefined ? null : raw ? body : JSON.stringify(body)
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        host: '127.0.0.1',
        port,
        method,
        path,
        agent: false,
        headers: {
          ...(sent === null || 'transfer-encoding' in headers
            ? {}
            : { 'content-length': String(Buffer.byteLength(sent)) }),
          ...(sent === null || raw ? {} : { 'content-type': 'application/json' }),
          ...(headers as Record<string, string | string[]>),
        },
      },
      (incoming) => {
        const chunks: Buffer[] = []
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
        incoming.on('error', reject)
        incoming.on('end', () => {
          const bytes = Buffer.concat(chunks)
          const text = bytes.toString('utf8')
          const isJson = incoming.headers['content-type']?.startsWith('application/json')
          resolve({
            status: incoming.statusCode ?? 0,
            headers: incoming.headers,
            text,
            bytes,
            json: isJson && text !== '' ? JSON.parse(text) : {},
          })
        })
      },
    )
    // A server that has answered and closed may break the rest of a long body.
    outgoing.on('error', reject)
    outgoing.end(sent ?? undefined)
  })
}

/** An answer without what differs between any two. */
export function comparable({ status, headers, text, json }: Answered): string {
  const { date: _, 'x-request-id': __, 'x-ratelimit-remaining': ___, ...rest } = headers
  return JSON.stringify([status, rest, text.replaceAll(String(json.requestId), '')])
}
