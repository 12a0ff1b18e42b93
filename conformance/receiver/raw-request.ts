import net from 'node:net'
import tls from 'node:tls'
import type { Request } from './request.ts'

/** What came back over a connection that is closed after one answer. */
export interface RawAnswer {
  /** Null when no status came. */
  readonly status: number | null
  readonly error: string | null
  /** Until the connection was closed. */
  readonly ms: number
  readonly body: string
}

/** Sends one request as HTTP/1.0 (RFC 1945), or with a folded header, which Node's client does not. */
export function sendRaw(url: URL, request: Request, timeoutMs: number): Promise<RawAnswer> {
  const startedAt = performance.now()
  const { hostname, protocol } = url
  const secure = protocol === 'https:'
  const port = Number(url.port || (secure ? 443 : 80))
  const host = hostname.replace(/^\[|\]$/g, '')
  const socket = secure
    ? tls.connect({ host, port, ...(net.isIP(host) === 0 && { servername: host }) })
    : net.connect({ host, port })
  const chunks: Buffer[] = []
  socket.setTimeout(timeoutMs, () => socket.destroy(new Error('no answer in time')))
  socket.on('data', (chunk) => chunks.push(chunk))
  socket.once(secure ? 'secureConnect' : 'connect', () => {
    socket.write(headOf(url, request))
    socket.write(request.body)
  })
  return new Promise((resolve) => {
    let error: string | null = null
    socket.on('error', (cause: NodeJS.ErrnoException) => {
      error = cause.code ?? cause.message
    })
    socket.on('close', () => {
      const [head = '', body = ''] = Buffer.concat(chunks)
        .toString('utf8')
        .split(/\r\n\r\n(.*)/s)
      const found = /^HTTP\/1\.[01] (\d{3})/.exec(head)
      const ms = performance.now() - startedAt
      if (found === null) resolve({ status: null, error: error ?? 'no answer', ms, body: '' })
      else resolve({ status: Number(found[1]), error: null, ms, body })
    })
  })
}

function headOf(url: URL, { method, headers, body, search, version, folded }: Request): string {
  const all = folded === undefined || folded in headers ? headers : { ...headers, [folded]: 'x' }
  const lines = Object.entries(all).flatMap(([name, value]) =>
    (typeof value === 'string' ? [value] : value).map(
      (one) => `${name}: ${one}${name === folded ? '\r\n\tv1,AAAA' : ''}`,
    ),
  )
  return [
    `${method} ${url.pathname}${search ?? url.search} HTTP/${version ?? '1.1'}`,
    `host: ${url.host}`,
    'connection: close',
    `content-length: ${body.length}`,
    ...lines,
    '',
    '',
  ].join('\r\n')
}
