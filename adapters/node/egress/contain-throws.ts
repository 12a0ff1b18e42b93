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

/** By the prototype that they derive from. */
const derived = new WeakMap<object, object>()

/**
 * Turns exceptions of socket methods into error events: some calls are made in listeners and event-loop callbacks,
 * where an exception ends the thread. Derives the given socket from a prototype of its own class that contains them;
 * sockets share it, since methods of each socket's own would slow down every access to it.
 */
export function containThrows<S extends Socket>(socket: S): S {
  const base = Object.getPrototypeOf(socket) as object
  const contained = derived.get(base) ?? containedBy(base)
  derived.set(base, contained)
  return Object.setPrototypeOf(socket, contained) as S
}

function containedBy(base: object): object {
  const contained = Object.create(base) as object
  for (const [name, instead] of calls) {
    function value(this: Socket, ...args: unknown[]): unknown {
      try {
        return (Reflect.get(base, name) as Call).apply(this, args)
      } catch (error) {
        this.destroy(error instanceof Error ? error : new Error(String(error)))
        return instead
      }
    }
    Object.defineProperty(contained, name, { value, configurable: true, writable: true })
  }
  return contained
}
