import type { Socket } from 'node:net'

type Call = (...args: unknown[]) => unknown

/** Socket methods that undici and Node call, and the value returned in place of a throw. */
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
 * Turns exceptions of socket methods into error events: some calls are made in listeners and event-loop callbacks,
 * where an exception ends the thread. Patches the given socket.
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
