import { once } from 'node:events'
import {
  request as askHttp,
  type ClientRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import { request as askHttps, createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import * as z from 'zod'
import type { Tls } from '../tls.ts'

/** One delivery that was forwarded, and how it ended. */
export interface Forwarded {
  readonly eventId: string | null
  readonly type: string | null
  readonly reviewCaseId: string | null
  /** What the service was answered; null where it gave up before. */
  readonly status: number | null
  /** From its arrival to the end of the answer. */
  readonly ms: number
  /** Why the target's own answer is not what the service was answered; else null. */
  readonly error: string | null
}

export interface Forwarder {
  readonly port: number
  /** Takes no further delivery; those under way end, as the service waits for them. */
  close(): Promise<void>
}

/** The service is answered so where the target gave no answer; it tries again on its schedule. */
const badGateway = 502

/** Of one connection alone (RFC 9110, 7.6.1), and what names the other host. */
const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/**
 * Takes POSTs at `path` over https on loopback and sends each on to the target, byte for byte and with its headers; what
 * the target answers is the answer. Other requests of the path are answered 204, which shows that it is still served.
 */
export async function openForwarder(options: {
  readonly target: URL
  readonly tls: Tls
  readonly path: string
  readonly onForwarded: (forwarded: Forwarded) => void
}): Promise<Forwarder> {
  const { target, tls, path, onForwarded } = options
  const server = createServer({ key: tls.key, cert: tls.cert }, (request, response) => {
    // A connection that is kept would hold the end up.
    response.shouldKeepAlive = false
    if (request.url !== path) return void response.writeHead(404).end()
    if (request.method !== 'POST') return void response.writeHead(204).end()
    // A request that was cut has nobody to answer.
    forward(target, request, response).then(onForwarded, () => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      server.close()
      server.closeIdleConnections()
      await once(server, 'close')
    },
  }
}

async function forward(
  target: URL,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Forwarded> {
  const begun = performance.now()
  const body = await buffer(request)
  const told = (status: number | null, error: string | null): Forwarded => ({
    ...factsOf(body),
    status,
    ms: Math.round(performance.now() - begun),
    error,
  })
  const outgoing = send(target, request, body)
  const given = new Promise<void>((resolve) =>
    response.once('close', () => {
      if (!response.writableFinished) outgoing.destroy()
      resolve()
    }),
  )
  try {
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage]
    const { statusCode: status = badGateway, statusMessage } = answer
    response.writeHead(status, statusMessage, [...kept(answer.rawHeaders)])
    await pipeline(answer, response)
    return told(status, null)
  } catch (error) {
    if (response.destroyed && !response.headersSent)
      return told(null, 'the service did not wait any longer for the answer')
    const detail = `no whole answer from ${target.href}: ${causeOf(error)}`
    if (response.headersSent) return told(null, detail)
    response.writeHead(badGateway, { 'content-type': 'text/plain' }).end(`${detail}\n`)
    await given
    return told(badGateway, detail)
  }
}

function send(target: URL, { rawHeaders }: IncomingMessage, body: Buffer): ClientRequest {
  const ask = target.protocol === 'https:' ? askHttps : askHttp
  const headers = [...kept(rawHeaders, 'host'), 'host', target.host]
  const outgoing = ask(target, { method: 'POST', headers, agent: false })
  // An error after the answer has begun shows in the answer, and would end the process here.
  outgoing.on('error', () => {})
  return outgoing.end(body)
}

/** Names and values in turn, without those that are of the connection. */
function* kept(rawHeaders: readonly string[], besides?: string): Generator<string> {
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2)
    const lower = name.toLowerCase()
    if (!hopByHop.has(lower) && lower !== besides) yield* [name, value]
  }
}

const shown = z.object({
  id: z.string().nullable().catch(null),
  type: z.string().nullable().catch(null),
  reviewCaseId: z.string().nullable().catch(null),
})

/** What a line shows of a body; only a look, for the target reads it by itself. */
function factsOf(body: Buffer): Pick<Forwarded, 'eventId' | 'type' | 'reviewCaseId'> {
  let parsed: unknown = null
  try {
    parsed = JSON.parse(body.toString())
  } catch {
    // No delivery of the service: it is sent on all the same.
  }
  const read = shown.safeParse(parsed)
  if (!read.success) return { eventId: null, type: null, reviewCaseId: null }
  const { id, type, reviewCaseId } = read.data
  return { eventId: id, type, reviewCaseId }
}

/** Where a name has several addresses the message is empty, and the code says it. */
function causeOf(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException
  return message || code || String(error)
}
