import type { Socket } from 'node:net'
import type { Dispatcher } from 'undici'
import Client from 'undici/lib/dispatcher/client.js'
import { createConnector, type Dialling, type Stage } from './connector.ts'

/** One connection of an origin, for one exchange at a time; undici dials anew when the peer has closed it. */
export interface Connection {
  stage(): Stage
  /** The set of addresses that it was dialled from. */
  readonly generation: number
  /** Monotonic ms. */
  readonly openedAt: number
  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void
  /** At once, whatever it is doing. */
  destroy(): void
}

/** Ms that an idle connection is kept when the peer says nothing of it, and at most. */
const idleMs = 4000
const longestIdleMs = 60_000
/** Bytes of the answer's headers altogether. */
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
    // The transport's wheel watches the whole exchange; undici's timers are idle timers and would not.
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
      // undici leaves a socket that is still connecting to itself.
      socket?.destroy()
      client.destroy(() => {})
    },
  }
}
