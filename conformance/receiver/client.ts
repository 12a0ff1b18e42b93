import http, { type ClientRequest } from 'node:http'
import https from 'node:https'
import type { Socket } from 'node:net'
import type { LagMeter } from './lag.ts'
import { sendRaw } from './raw-request.ts'
import type { Request } from './request.ts'

/** What came back. */
export interface Exchange {
  /** Null when no status came; then `error` says why. */
  readonly status: number | null
  readonly error: string | null
  /** Ms until the status and the headers were there. */
  readonly ms: number
  /** Ms until the body was there too. */
  readonly wholeMs: number
  /** Of these, ms by which this process was late with its own work. */
  readonly lagMs: number
  /** The first 64 KiB. */
  readonly body: string
  /** Of the answer; empty when there was none. */
  readonly contentType: string
}

/** A request whose body is held back. */
export interface Held {
  /** Resolves when the first part is on its way, or can't be. */
  readonly sent: Promise<void>
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

/** Limits of a client, and what measures its lag. */
export interface ClientOptions {
  /** No exchange takes longer, but for what the machine was late with, which adds up to twice as much. */
  readonly timeoutMs: number
  /** 512 unless given. */
  readonly connections?: number
  readonly lag: Pick<LagMeter, 'lagMs'>
}

/** Posts to one URL over kept connections; no redirect is followed. */
export function createClient(url: URL, options: ClientOptions): Client {
  const { timeoutMs, connections = 512, lag } = options
  const secure = url.protocol === 'https:'
  const pool = { keepAlive: true, maxSockets: connections }
  const agent = secure ? new https.Agent(pool) : new http.Agent(pool)
  const singles: Client[] = []

  function open(request: Request, ownConnection: boolean): ClientRequest {
    const { method, headers, body, search } = request
    const sent: Record<string, string | string[]> =
      'transfer-encoding' in headers ? {} : { 'content-length': String(body.length) }
    for (const [name, value] of Object.entries(headers))
      sent[name] = typeof value === 'string' ? value : [...value]
    const to = new URL(url)
    if (search !== undefined) to.search = search
    const opened = (secure ? https : http).request(to, {
      method,
      headers: sent,
      agent: ownConnection ? false : agent,
    })
    if (request.trailers) opened.addTrailers(request.trailers)
    return opened.on('socket', guardSocket)
  }

  async function send(request: Request): Promise<Exchange> {
    if (request.version === '1.0' || request.folded !== undefined) {
      const lagBefore = lag.lagMs()
      const raw = await sendRaw(url, request, timeoutMs)
      const lagMs = lag.lagMs() - lagBefore
      return { ...raw, wholeMs: raw.ms, lagMs, body: raw.body.slice(0, mostBody), contentType: '' }
    }
    const opened = open(request, false)
    const answer = answerOf(opened, options)
    opened.end(request.body)
    const exchange = await answer
    // A server may close an idle connection in the moment in which it is used again: that says nothing.
    const stale = exchange.status === null && opened.reusedSocket && exchange.error !== timedOut
    if (!stale) return exchange
    const again = open(request, true)
    const fresh = answerOf(again, options)
    again.end(request.body)
    return fresh
  }

  return {
    send,
    hold(request, bytes) {
      const opened = open(request, true)
      const answer = answerOf(opened, options)
      const sent = new Promise<void>((resolve) => {
        opened.write(request.body.subarray(0, bytes), () => resolve())
        opened.once('error', () => resolve())
      })
      return {
        sent,
        finish() {
          opened.end(request.body.subarray(bytes))
          return answer
        },
        abandon: () => opened.destroy(),
      }
    },
    single() {
      const one = createClient(url, { ...options, connections: 1 })
      singles.push(one)
      return one
    },
    close() {
      agent.destroy()
      for (const one of singles) one.close()
    },
  }
}

const guarded = new WeakSet<Socket>()

/**
 * Keeps a late error of a connection from ending the process: a receiver may answer early and reset it while the rest
 * of a body is being written, when the request listens no more.
 */
function guardSocket(socket: Socket): void {
  if (guarded.has(socket)) return
  guarded.add(socket)
  socket.on('error', () => {})
}

const timedOut = 'no answer in time'
/** On a busy machine, as a multiple of its time, how long an answer is waited for. */
const lagFactor = 3

function answerOf(request: ClientRequest, { timeoutMs, lag }: ClientOptions): Promise<Exchange> {
  const startedAt = performance.now()
  const lagBefore = lag.lagMs()
  const elapsed = () => performance.now() - startedAt
  return new Promise((resolve) => {
    let status: number | null = null
    let ms = 0
    let contentType = ''
    const chunks: Buffer[] = []
    let length = 0
    const finish = (error: string | null) => {
      clearTimeout(timer)
      const body = Buffer.concat(chunks).subarray(0, mostBody).toString('utf8')
      const wholeMs = elapsed()
      const told = status === null ? error : null
      const lagMs = lag.lagMs() - lagBefore
      resolve({ status, error: told, ms: ms || wholeMs, wholeMs, lagMs, body, contentType })
    }
    const giveUp = () => {
      const leftMs = timeoutMs - (elapsed() - (lag.lagMs() - lagBefore))
      if (leftMs >= 1 && elapsed() < lagFactor * timeoutMs) {
        timer = setTimeout(giveUp, leftMs)
        return
      }
      finish(timedOut)
      request.destroy()
    }
    let timer = setTimeout(giveUp, timeoutMs)
    request.on('error', (error: NodeJS.ErrnoException) => finish(error.code ?? error.message))
    request.on('response', (response) => {
      status = response.statusCode ?? null
      ms = elapsed()
      contentType = response.headers['content-type'] ?? ''
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
