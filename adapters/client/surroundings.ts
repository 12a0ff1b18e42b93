import { type OptionNames, readMembers } from './read-options.ts'

/** What the client takes from its surroundings; each may be given instead, as in tests. */
export interface Surroundings {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  /** Monotonic ms. */
  readonly now: () => number
  /** Wall time, ms since the epoch. */
  readonly time: () => number
  /** Resolves after `ms`; rejects with the signal's reason once it is aborted. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>
  /** From 0 to 1. */
  readonly random: () => number
}

/** Ms; timers end at once where they are given more. */
const longestTimer = 2 ** 31 - 1

/** The global fetch, timers and randomness of Node, Bun, Deno, Workers and browsers. */
export const systemSurroundings: Surroundings = {
  fetch: (url, init) => fetch(url, init),
  now: () => performance.now(),
  time: () => Date.now(),
  wait: (ms, signal) =>
    new Promise((resolve, reject) => {
      const stop = () => {
        clearTimeout(timer)
        reject(signal.reason)
      }
      const timer = setTimeout(
        () => {
          signal.removeEventListener('abort', stop)
          resolve()
        },
        Math.min(ms, longestTimer),
      )
      if (signal.aborted) stop()
      else signal.addEventListener('abort', stop, { once: true })
    }),
  random: () => Math.random(),
}

const names: OptionNames<Surroundings> = {
  fetch: true,
  now: true,
  time: true,
  wait: true,
  random: true,
}

/** The surroundings that were given, and those of the system in the place of others. */
export function surroundingsOf(given: Partial<Surroundings> = {}): Surroundings {
  return { ...systemSurroundings, ...readMembers(given, names) }
}
