import { createServer as createHttp, type RequestListener, type Server } from 'node:http'
import { createServer as createHttps } from 'node:https'
import type { AddressInfo } from 'node:net'

export interface Listener {
  readonly port: number
  /** Takes no new connection and lets the open requests end, at most so long. */
  close(withinMs: number): Promise<void>
}

/** PEM. */
export interface Tls {
  readonly key: Buffer
  readonly cert: Buffer
}

/** Serves on a port; 0 takes a free one. */
export async function listen(options: {
  /** The setting of the port, for errors. */
  readonly setting: string
  readonly host: string
  readonly port: number
  readonly tls: Tls | null
  readonly handler: RequestListener
}): Promise<Listener> {
  const server = create(options.tls, options.handler)
  // A request that never ends must not hold a socket for ever.
  server.requestTimeout = 30_000
  server.headersTimeout = 15_000
  server.keepAliveTimeout = 65_000
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        error.code === 'EADDRINUSE'
          ? new Error(
              `${options.setting}: port ${options.port} on ${options.host} is taken; stop the other process or name another port`,
              { cause: error },
            )
          : error,
      ),
    )
    server.listen(options.port, options.host, resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    close: (withinMs) => closeServer(server, withinMs),
  }
}

function create(tls: Tls | null, handler: RequestListener): Server {
  return tls ? createHttps({ ...tls }, handler) : createHttp(handler)
}

const idleCheckMs = 50

async function closeServer(server: Server, withinMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  // A connection that is kept alive becomes idle only when its last answer is out.
  const idle = setInterval(() => server.closeIdleConnections(), idleCheckMs)
  const cut = setTimeout(() => server.closeAllConnections(), withinMs)
  server.closeIdleConnections()
  await closed
  clearInterval(idle)
  clearTimeout(cut)
}
