import type { Socket } from 'node:net'

type Call = (...args: unknown[]) => unknown
type Contained = readonly [name: string, contained: Call]

/** Socket methods that undici and Node call, and the value returned in place of a throw. */
const calls: readonly (readonly [name: keyof Socket & string, instead: unknown])[] = [
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

/** By the prototype of the sockets. */
const contained = new WeakMap<object, readonly Contained[]>()

/**
 * Turns exceptions of socket methods into error events: some calls are made in listeners and event-loop callbacks,
 * where an exception ends the thread. Sets the methods on the socket itself, the same functions on all of its class:
 * with another prototype, or with functions of its own, every access to it would be slower.
 */
export function containThrows<S extends Socket>(socket: S): S {
  const base = Object.getPrototypeOf(socket) as object
  const methods = contained.get(base) ?? calls.map((call) => containedCall(base, call))
  contained.set(base, methods)
  for (const [name, method] of methods) (socket as Record<string, unknown>)[name] = method
  return socket
}

function containedCall(base: object, [name, instead]: (typeof calls)[number]): Contained {
  function contain(this: Socket, ...args: unknown[]): unknown {
    try {
      return (Reflect.get(base, name) as Call).apply(this, args)
    } catch (error) {
      this.destroy(error instanceof Error ? error : new Error(String(error)))
      return instead
    }
  }
  return [name, contain]
}
