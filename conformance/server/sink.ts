import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { Socket } from 'node:net'
import type { SinkSettings } from './target.ts'
import { until } from './wait.ts'

/** One POST that came. */
export interface Delivery {
  readonly path: string
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: Buffer
  readonly event: Readonly<Record<string, unknown>>
}

export interface SinkAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** What an endpoint does with the nth delivery of its path: an answer, bytes of its own, or nothing at all. */
export type Script = (
  delivery: Delivery,
  number: number,
) => SinkAnswer | { readonly raw: (socket: Socket) => void } | 'silence'

export interface Sink {
  readonly url: string
  /** A path of its own that follows the script from now on. */
  endpoint(script?: Script): Endpoint
  close(): void
}

export interface Endpoint {
  readonly url: string
  /** All that came, in the order of coming. */
  readonly came: readonly Delivery[]
  follow(script: Script): void
  /** The first that fits, or an error that names it. */
  first(what: string, fits: (delivery: Delivery) => boolean): Promise<Delivery>
  of(type: string): readonly Delivery[]
}

/** Does what every endpoint should: 2xx, and the challenge where it is asked for. */
export const obliging: Script = ({ event }) =>
  event.type === 'subscription.verification_requested'
    ? {
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ challenge: event.challenge }),
      }
    : { status: 204 }

export async function openSink(settings: SinkSettings): Promise<Sink> {
  const endpoints = new Map<string, { came: Delivery[]; script: Script }>()
  let made = 0
  const server = createServer(
    { key: settings.key, cert: settings.cert },
    (request, response) => void take(request, response),
  )

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request)
    // The sender broke off: nothing came.
    if (body === null) return void response.destroy()
    const path = request.url ?? '/'
    const endpoint = endpoints.get(path)
    if (!endpoint) return void response.writeHead(404).end()
    const delivery = { path, headers: request.headers, body, event: eventIn(body) }
    endpoint.came.push(delivery)
    const answer = endpoint.script(delivery, endpoint.came.length)
    if (answer === 'silence') return
    if ('raw' in answer) return answer.raw(request.socket)
    response.writeHead(answer.status, { ...answer.headers }).end(answer.body)
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(settings.port, resolve)
  })
  return {
    url: settings.url,
    endpoint: (script = obliging) => {
      made += 1
      const path = `/sink/${made}`
      const own = { came: [] as Delivery[], script }
      endpoints.set(path, own)
      return {
        url: new URL(path, settings.url).href,
        came: own.came,
        follow: (next) => {
          own.script = next
        },
        first: (what, fits) => until(what, () => own.came.find(fits)),
        of: (type) => own.came.filter(({ event }) => event.type === type),
      }
    },
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

async function bodyOf(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer)
  } catch {
    return null
  }
  return Buffer.concat(chunks)
}

function eventIn(body: Buffer): Readonly<Record<string, unknown>> {
  try {
    return { ...(JSON.parse(body.toString('utf8')) as object) }
  } catch {
    return {}
  }
}
