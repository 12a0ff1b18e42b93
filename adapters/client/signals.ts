import { ApiError } from './errors.ts'
import type { Surroundings } from './surroundings.ts'

/** A signal that aborts as the first of its sources does. */
export interface LinkedSignal {
  readonly signal: AbortSignal
  /** Aborts it alone, and lets go of its sources. */
  abort(): void
}

/**
 * Links signals, until it is aborted. In the place of AbortSignal.any where a source lives for days: it
 * would keep something of each signal that was ever made of it, and a wait for a human makes thousands a day.
 */
export function linkSignals(...sources: readonly AbortSignal[]): LinkedSignal {
  const linked = new AbortController()
  const links = sources.map((source) => ({ source, stop: () => linked.abort(source.reason) }))
  for (const { source, stop } of links)
    if (source.aborted) stop()
    else source.addEventListener('abort', stop, { once: true })
  return {
    signal: linked.signal,
    abort: () => {
      for (const { source, stop } of links) source.removeEventListener('abort', stop)
      linked.abort()
    },
  }
}

/**
 * A signal that aborts with `deadline_exceeded` after `deadlineMs`, unless `release` came before, or as `given` does.
 */
export function endedBy(surroundings: Surroundings, deadlineMs: number, given?: AbortSignal) {
  const late = new AbortController()
  const done = new AbortController()
  surroundings.wait(deadlineMs, done.signal).then(
    () => late.abort(new ApiError('deadline_exceeded', `it did not end within ${deadlineMs} ms`)),
    () => {},
  )
  return {
    // By its caller's signal a file also ends while it is read.
    signal: given ? AbortSignal.any([given, late.signal]) : late.signal,
    release: () => done.abort(),
  }
}

/** What comes of work before the signal aborts; rejects with its reason then, for nobody waits any more. */
export async function untilAborted<T>(
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
): Promise<T> {
  if (!signal) return work()
  signal.throwIfAborted()
  // One of its own: a signal that many works share would warn of too many listeners.
  const own = AbortSignal.any([signal])
  const ended = new AbortController()
  const aborted = new Promise<never>((_, reject) => {
    own.addEventListener('abort', () => reject(signal.reason), { signal: ended.signal })
  })
  try {
    return await Promise.race([work(), aborted])
  } finally {
    ended.abort()
  }
}
