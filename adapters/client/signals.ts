import { ApiError } from './errors.ts'
import type { Surroundings } from './surroundings.ts'

/** A signal that aborts as the first of its sources does. */
export interface LinkedSignal {
  readonly signal: AbortSignal
  /** Aborts it alone, and lets go of its sources. */
  abort(reason?: unknown): void
  /** Lets go of its sources. */
  unlink(): void
}

/**
 * Links signals, until it is aborted or unlinked. In the place of AbortSignal.any, whose sources keep something of each
 * signal that was ever made of them: a wait for a human makes thousands a day of one.
 */
export function linkSignals(...sources: readonly AbortSignal[]): LinkedSignal {
  const linked = new AbortController()
  const links = sources.map((source) => ({ source, stop: () => linked.abort(source.reason) }))
  const unlink = () => {
    for (const { source, stop } of links) source.removeEventListener('abort', stop)
  }
  for (const { source, stop } of links)
    if (source.aborted) stop()
    else source.addEventListener('abort', stop, { once: true })
  return {
    signal: linked.signal,
    abort: (reason) => {
      unlink()
      linked.abort(reason)
    },
    unlink,
  }
}

/** A signal that aborts with `deadline_exceeded` after `deadlineMs`, unless `release` came before, or as `given` does. */
export function endedBy(surroundings: Surroundings, deadlineMs: number, given?: AbortSignal) {
  const { signal, abort, unlink } = linkSignals(...(given ? [given] : []))
  const done = new AbortController()
  surroundings.wait(deadlineMs, done.signal).then(
    () => abort(new ApiError('deadline_exceeded', `it did not end within ${deadlineMs} ms`)),
    () => {},
  )
  return { signal, release: () => done.abort(), unlink }
}
