import { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'

/** How a step fails: by a throw, by an error (of its callback, where it has one, and as an event), or by the end of the connection. */
export const ways = ['throw', 'error', 'close'] as const
export type Way = (typeof ways)[number]

/** What fails: the step with this number, from 0, of those that are taken while the faults are installed. */
export interface Fault {
  readonly at: number
  readonly way: Way
}

export interface Injection {
  /** The steps that were taken, in their order; events begin with `on`. */
  readonly steps: readonly string[]
  remove(): void
}

// What our code and undici call on a socket of Node's, and what `tls.connect` calls on it before it returns.
const calls = [
  [
    Socket,
    [
      'connect',
      'read',
      'write',
      'end',
      '_destroy',
      'cork',
      'uncork',
      'pause',
      'resume',
      'ref',
      'unref',
      'setTimeout',
      'setNoDelay',
      'setKeepAlive',
    ],
  ],
  [TLSSocket, ['setServername', 'setSession', '_start', '_releaseControl']],
] as const

// Events that report progress; a fault comes right behind one.
const events = new Set([
  'lookup',
  'connect',
  'secure',
  'secureConnect',
  'session',
  'readable',
  'data',
  'drain',
  'finish',
  'end',
  'close',
])

type Method = (this: Socket, ...args: unknown[]) => unknown

/** Counts every step of every socket of this thread, and fails one; null fails none. */
export function injectFault(fault: Fault | null): Injection {
  const steps: string[] = []
  const restore: (() => void)[] = []
  let inside = false

  function replace(prototype: object, name: string, by: (original: Method) => Method): void {
    const own = Object.getOwnPropertyDescriptor(prototype, name)
    const original = Reflect.get(prototype, name) as Method
    Object.defineProperty(prototype, name, {
      value: by(original),
      configurable: true,
      writable: true,
    })
    restore.push(() => {
      if (own) Object.defineProperty(prototype, name, own)
      else Reflect.deleteProperty(prototype, name)
    })
  }

  /** Whether this step is the one that fails. What a step does inside, its own steps included, is not counted. */
  function isNext(socket: Socket, step: string): boolean {
    if (inside || socket === process.stdout || socket === process.stderr) return false
    steps.push(step)
    return steps.length - 1 === fault?.at
  }

  function whole<T>(work: () => T): T {
    const outer = inside
    inside = true
    try {
      return work()
    } finally {
      inside = outer
    }
  }

  function failCall(socket: Socket, step: string, args: readonly unknown[], way: Way): unknown {
    const error = Object.assign(new Error(`injected at ${step}`), { code: 'EINJECTED' })
    if (way === 'throw') throw error
    const callback = args.at(-1)
    if (way === 'error' && typeof callback === 'function') callback(error)
    whole(() => (way === 'close' ? socket.destroy() : socket.destroy(error)))
    return step === 'read' ? null : socket
  }

  for (const [{ prototype }, names] of calls)
    for (const name of names)
      replace(
        prototype,
        name,
        (original) =>
          function (this: Socket, ...args) {
            if (isNext(this, name)) {
              // A close that fails closes all the same.
              if (name === '_destroy') whole(() => original.apply(this, [null, () => {}]))
              return failCall(this, name, args, fault?.way ?? 'throw')
            }
            // A write may be answered within the call; what follows from it are steps of their own.
            return original.apply(this, args)
          },
      )
  replace(
    Socket.prototype,
    'emit',
    (original) =>
      function (this: Socket, ...args) {
        const event = String(args[0])
        const fails = events.has(event) && isNext(this, `on ${event}`)
        const heard = original.apply(this, args)
        if (fails)
          whole(() =>
            this.destroy(fault?.way === 'close' ? undefined : new Error(`injected at ${event}`)),
          )
        return heard
      },
  )
  return {
    steps,
    remove: () => {
      for (const undo of restore.toReversed()) undo()
    },
  }
}
