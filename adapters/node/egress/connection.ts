import type { Socket } from 'node:net'
import type { Dispatcher } from 'undici'
import Client from 'undici/lib/dispatcher/client.js'
import { createConnector, type Dialling, type Stage } from './connector.ts'

/** One connection of an origin, for one exchange at a time; undici redials when the peer has closed it. */
export interface Connection {
  stage(): Stage
  /** The set of addresses that it was dialled from. */
  readonly generation: number
  /** Monotonic ms. */
  readonly openedAt: number
  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void
  /** Closes at once, also in the middle of an exchange. */
  destroy(): void
}

/** Ms that an idle connection is kept: without a keep-alive hint of the peer, and at most. */
const idleMs = 4000
const longestIdleMs = 60_000
/** Most bytes of an answer's headers. */
const mostHeaderBytes = 16 * 1024

export function openConnection(
  dialling: Pick<Dialling, 'target' | 'secureContext' | 'addresses' | 'session'>,
  generation: number,
  openedAt: number,
): Connection {
  let stage: Stage = 'connect'
  let socket: Socket | null = null
  const client = new Client(dialling.target.origin, {
    connect: createConnector({
      ...dialling,
      onStage: (reached) => {
        stage = reached
      },
      onSocket: (made) => {
        socket = made
      },
    }),
    pipelining: 1,
    allowH2: false,
    keepAliveTimeout: idleMs,
    keepAliveMaxTimeout: longestIdleMs,
    maxHeaderSize: mostHeaderBytes,
    // The deadline wheel covers the whole exchange; undici's timers are idle timers.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  return {
    stage: () => stage,
    generation,
    openedAt,
    dispatch: (options, handler) => {
      client.dispatch(options, handler)
    },
    destroy: () => {
      // undici does not destroy a socket that is still connecting.
      socket?.destroy()
      client.destroy(() => {})
    },
  }
}
