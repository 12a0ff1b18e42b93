import type { Socket } from 'node:net'

type Call = (...args: unknown[]) => unknown

/** What undici and Node itself call on a socket, and what each answers when it could not be done. */
const calls: readonly (readonly [name: keyof Socket, instead: unknown])[] = [
  ['read', null],
  ['write', false],
  ['end', undefined],
  ['cork', undefined],
  ['uncork', undefined],
  ['pause', undefined],
  ['resume', undefined],
  ['ref', undefined],
  ['unref', undefined],
  ['setTimeout', undefined],
  ['setKeepAlive', undefined],
]

/**
 * Turns whatever a call on the socket throws into an error of the socket: some are made in listeners and
 * in callbacks of the event loop, where a throw ends the thread. Changes the socket itself.
 */
export function containThrows<S extends Socket>(socket: S): S {
  for (const [name, instead] of calls) {
    const call = socket[name] as Call
    const contained: Call = (...args) => {
      try {
        return call.apply(socket, args)
      } catch (error) {
        socket.destroy(error instanceof Error ? error : new Error(String(error)))
        return instead
      }
    }
    Object.defineProperty(socket, name, { value: contained, configurable: true, writable: true })
  }
  return socket
}
