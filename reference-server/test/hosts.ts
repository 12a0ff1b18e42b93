import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  type ApiOptions,
  createApp,
  type Host,
  ingestRouter,
  portalRouter,
  sessionCookie,
  staffRouter,
} from '@countersign/koa'

/** A request to a host: `as` is a session token, `key` an application's or a customer's key. */
export interface Asked {
  readonly as?: string
  readonly key?: string
  readonly body?: unknown
}

/** All three hosts of a service on loopback. */
export interface Hosts {
  /** A request to one of them, from an address of its own. */
  call(host: Host, method: string, path: string, asked?: Asked): Promise<Response>
  close(): Promise<void>
}

/** Serves a service's hosts by HTTP. */
export async function openHosts(
  options: ApiOptions,
  app: Pick<Parameters<typeof createApp>[1], 'random' | 'middleware'>,
): Promise<Hosts> {
  const servers: Server[] = []
  let requests = 0

  async function serve(router: ReturnType<typeof portalRouter>): Promise<string> {
    const { observer } = options
    const answer = createApp(router, { ...app, observer, trustedProxies: 1 }).callback()
    const server = createServer((request, response) => void answer(request, response))
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }
  const origins: Readonly<Record<Host, string>> = {
    ingest: await serve(ingestRouter(options)),
    portal: await serve(portalRouter(options)),
    staff: await serve(staffRouter({ staffTokens: [], ...options })),
  }

  return {
    call: (host, method, path, { as, key, body } = {}) =>
      fetch(origins[host] + path, {
        method,
        headers: {
          'x-forwarded-for': `198.51.${(requests >> 8) % 256}.${requests++ % 256}`,
          ...(as !== undefined && { cookie: `${sessionCookie.name}=${as}` }),
          ...(key !== undefined && { 'x-api-key': key }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    close: async () => {
      await Promise.all(
        servers.map((server) => {
          server.closeAllConnections()
          return new Promise((resolve) => server.close(resolve))
        }),
      )
    },
  }
}
