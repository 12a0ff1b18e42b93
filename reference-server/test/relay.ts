import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { createServer as createSecure } from 'node:https'
import type { AddressInfo } from 'node:net'
import { Agent, request } from 'undici'

/** A request on its way; `body` has a character for each byte. */
export interface Message {
  readonly method: string
  path: string
  readonly headers: Record<string, string>
  body: string
}

/** An answer on its way; `body` has a character for each byte. */
export interface Reply {
  status: number
  readonly headers: Record<string, string>
  body: string
}

/** What stands between and spoils: requests on their way there, answers on their way back. */
export interface Spoiler {
  readonly request?: (message: Message) => void
  readonly reply?: (reply: Reply, message: Message) => void
}

/** A server that hands on what it is sent. */
export interface Relay {
  readonly url: string
  spoiler: Spoiler
  close(): Promise<void>
}

/** Hands on what it is sent, and what comes back, spoiled. */
export async function openRelay(options: {
  readonly to: string
  readonly tls?: { readonly key: string; readonly cert: string }
  readonly ca: string
}): Promise<Relay> {
  const dispatcher = new Agent({ connect: { ca: options.ca } })
  const listener: RequestListener = (incoming, response) =>
    void handOn(incoming).then(
      ({ status, headers, body }) => response.writeHead(status, headers).end(body, 'latin1'),
      () => response.destroy(),
    )

  async function handOn(incoming: IncomingMessage): Promise<Reply> {
    const message: Message = {
      method: incoming.method ?? 'GET',
      path: incoming.url ?? '/',
      headers: plain(incoming.headers),
      body: await textOf(incoming),
    }
    relay.spoiler.request?.(message)
    const { connection: _, 'content-length': __, host: ___, ...headers } = message.headers
    const answer = await request(`${options.to}${message.path}`, {
      method: message.method as 'GET',
      headers,
      body: message.body === '' ? null : Buffer.from(message.body, 'latin1'),
      dispatcher,
    })
    const { 'content-length': ____, ...kept } = plain(answer.headers)
    const reply: Reply = {
      status: answer.statusCode,
      headers: kept,
      body: Buffer.from(await answer.body.arrayBuffer()).toString('latin1'),
    }
    relay.spoiler.reply?.(reply, message)
    return reply
  }

  const server = options.tls ? createSecure(options.tls, listener) : createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const relay: Relay = {
    url: options.tls ? `https://localhost:${port}` : `http://127.0.0.1:${port}`,
    spoiler: {},
    close: async () => {
      server.close()
      server.closeAllConnections()
      await dispatcher.destroy()
    },
  }
  return relay
}

function plain(headers: Readonly<Record<string, string | string[] | undefined>>) {
  const result: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) result[name] = String(value)
  return result
}

async function textOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('latin1')
}

/** Spoils answers to requests of these paths. */
export function onPath(path: RegExp, spoil: (reply: Reply) => void): NonNullable<Spoiler['reply']> {
  return (reply, message) => {
    if (path.test(message.path)) spoil(reply)
  }
}

/** Changes the JSON of POSTs to these paths. */
export function onBody(path: RegExp, change: (body: object) => object): (message: Message) => void {
  return (message) => {
    if (message.method === 'POST' && path.test(message.path))
      message.body = JSON.stringify(change(JSON.parse(message.body)))
  }
}

/** Gives one status for another. */
export function onStatus(from: number, to: number): (reply: Reply) => void {
  return (reply) => {
    if (reply.status === from) reply.status = to
  }
}

/** Grants what is refused with 409. */
export function granting(reply: Reply): void {
  if (reply.status === 409) reply.status = 200
}

/** Changes the text of a body. */
export function replaceIn(message: { body: string }, what: RegExp, by: string): void {
  message.body = message.body.replace(what, by)
}

/** Answers to requests of these paths with another text in place of one. */
export function rewriting(path: RegExp, what: RegExp, by: string): Spoiler {
  return { reply: onPath(path, (reply) => replaceIn(reply, what, by)) }
}

/** Answers to requests of these paths with one status for another. */
export function answering(path: RegExp, from: number, to: number): Spoiler {
  return { reply: onPath(path, onStatus(from, to)) }
}

/** Sends with another text in place of one. */
export function sending(what: RegExp, by: string): Spoiler {
  return { request: (message) => replaceIn(message, what, by) }
}
