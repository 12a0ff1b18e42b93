import http, { type ClientRequest } from 'node:http'
import https from 'node:https'

/** One request as it is sent; a list of values is sent as that many headers. */
export interface Request {
  readonly method: string
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly body: Uint8Array
}

/** What came back. */
export interface Exchange {
  /** Null when no status came; then `error` says why. */
  readonly status: number | null
  readonly error: string | null
  /** Ms until the status and the headers were there. */
  readonly ms: number
  /** Ms until the body was there too. */
  readonly wholeMs: number
  /** The first 64 KiB. */
  readonly body: string
}

/** A request whose body is held back. */
export interface Held {
  /** Sends the rest. */
  finish(): Promise<Exchange>
  abandon(): void
}

export interface Client {
  send(request: Request): Promise<Exchange>
  /** Sends the headers and the first `bytes` of the body on a connection of its own. */
  hold(request: Request, bytes: number): Held
  /** A client with one connection, used again for each request. */
  single(): Client
  close(): void
}

const mostBody = 65_536

/** Posts to one URL over kept connections; no exchange takes longer than `timeoutMs`, and no redirect is followed. */
export function createClient(url: URL, timeoutMs: number, connections = 64): Client {
  const secure = url.protocol === 'https:'
  const options = { keepAlive: true, maxSockets: connections }
  const agent = secure ? new https.Agent(options) : new http.Agent(options)
  const singles: Client[] = []

  function open({ method, headers, body }: Request, ownConnection: boolean): ClientRequest {
    const sent: Record<string, string | string[]> = { 'content-length': String(body.length) }
    for (const [name, value] of Object.entries(headers))
      sent[name] = typeof value === 'string' ? value : [...value]
    return (secure ? https : http).request(url, {
      method,
      headers: sent,
      agent: ownConnection ? false : agent,
    })
  }

  async function send(request: Request): Promise<Exchange> {
    const opened = open(request, false)
    const answer = answerOf(opened, timeoutMs)
    opened.end(request.body)
    const exchange = await answer
    // A server may close an idle connection in the moment in which it is used again: that says nothing.
    const stale = exchange.status === null && opened.reusedSocket && exchange.error !== timedOut
    if (!stale) return exchange
    const again = open(request, true)
    const fresh = answerOf(again, timeoutMs)
    again.end(request.body)
    return fresh
  }

  return {
    send,
    hold(request, bytes) {
      const opened = open(request, true)
      const answer = answerOf(opened, timeoutMs)
      opened.write(request.body.subarray(0, bytes))
      return {
        finish() {
          opened.end(request.body.subarray(bytes))
          return answer
        },
        abandon: () => opened.destroy(),
      }
    },
    single() {
      const one = createClient(url, timeoutMs, 1)
      singles.push(one)
      return one
    },
    close() {
      agent.destroy()
      for (const one of singles) one.close()
    },
  }
}

const timedOut = 'no answer in time'

function answerOf(request: ClientRequest, timeoutMs: number): Promise<Exchange> {
  const startedAt = performance.now()
  const elapsed = () => performance.now() - startedAt
  return new Promise((resolve) => {
    let status: number | null = null
    let ms = 0
    const chunks: Buffer[] = []
    let length = 0
    const finish = (error: string | null) => {
      clearTimeout(timer)
      const body = Buffer.concat(chunks).subarray(0, mostBody).toString('utf8')
      const wholeMs = elapsed()
      resolve({ status, error: status === null ? error : null, ms: ms || wholeMs, wholeMs, body })
    }
    const timer = setTimeout(() => {
      finish(timedOut)
      request.destroy()
    }, timeoutMs)
    request.on('error', (error: NodeJS.ErrnoException) => finish(error.code ?? error.message))
    request.on('response', (response) => {
      status = response.statusCode ?? null
      ms = elapsed()
      response.on('data', (chunk: Buffer) => {
        if (length < mostBody) chunks.push(chunk)
        length += chunk.length
      })
      response.on('end', () => finish(null))
      response.on('error', () => finish(null))
      response.on('close', () => finish(null))
    })
  })
}
