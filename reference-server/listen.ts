import { once } from 'node:events'
import { createServer as createHttp, type RequestListener, type Server } from 'node:http'
import { createServer as createHttps } from 'node:https'
import type { AddressInfo, Server as NetServer } from 'node:net'
import type { Logger } from 'pino'
import { ConfigError } from './config.ts'
import type { TlsFiles } from './tls.ts'

export interface Listener {
  readonly port: number
  /** Takes no new connection and lets the open requests end, at most so long. */
  close(withinMs: number): Promise<void>
}

/** A client that connects and says nothing holds a socket no longer. */
const handshakeMs = 10_000
const complaintEveryMs = 10_000

/** Serves on a port; 0 takes a free one. */
export async function listen(options: {
  /** The setting of the port, for errors. */
  readonly setting: string
  readonly host: string
  readonly port: number
  /** Null: plain HTTP. */
  readonly tls: TlsFiles | null
  /** Connections beyond it are closed as they come. */
  readonly maxConnections: number
  readonly logger: Logger
  readonly handler: RequestListener
}): Promise<Listener> {
  const { setting, host, port, logger } = options
  const server = create(options.tls, options.handler)
  server.maxConnections = options.maxConnections
  // A request that never ends must not hold a socket for ever.
  server.requestTimeout = 30_000
  server.headersTimeout = 15_000
  server.keepAliveTimeout = 65_000
  await takePort(server, { setting, host, port })
  const complain = atMostEvery(complaintEveryMs, (error: Error, unheard: number) =>
    logger.error({ setting, error: error.message, unheard }, 'a connection was not accepted'),
  )
  // Such as EMFILE: the listener goes on, and takes connections again when there are descriptors.
  server.on('error', complain)
  const full = atMostEvery(complaintEveryMs, (_: unknown, unheard: number) =>
    logger.warn(
      { setting, maxConnections: options.maxConnections, unheard },
      'connections are closed as they come: too many are open',
    ),
  )
  server.on('drop', full)
  return {
    port: (server.address() as AddressInfo).port,
    close: (withinMs) => closeServer(server, withinMs),
  }
}

/** Listens on a port; rejects with a `ConfigError` that names its setting where another process has it. */
export async function takePort(
  server: NetServer,
  { setting, host, port }: Readonly<{ setting: string; host: string; port: number }>,
): Promise<void> {
  server.listen(port, host)
  try {
    await once(server, 'listening')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    throw new ConfigError(
      [`${setting}: port ${port} on ${host} is taken; stop the other process or name another port`],
      { cause: error },
    )
  }
}

function create(tls: TlsFiles | null, handler: RequestListener): Server {
  if (!tls?.current) return createHttp(handler)
  const server = createHttps({ ...tls.current, handshakeTimeout: handshakeMs }, handler)
  tls.follow((renewed) => server.setSecureContext(renewed))
  return server
}

/** Calls at most so often, and tells how many calls were left out since the last. */
function atMostEvery<T>(ms: number, call: (argument: T, unheard: number) => void) {
  let last = Number.NEGATIVE_INFINITY
  let unheard = 0
  return (argument: T) => {
    if (performance.now() - last < ms) {
      unheard++
      return
    }
    last = performance.now()
    call(argument, unheard)
    unheard = 0
  }
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
