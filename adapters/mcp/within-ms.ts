import { untilAborted } from '@countersign/client'

/**
 * What work comes to within so many ms and before `given` aborts; null where it does not. Its own signal aborts then:
 * it spends nothing any more, and what it has claimed is kept for who asks next.
 */
export async function withinMs<T>(
  ms: number,
  work: (signal: AbortSignal) => Promise<T>,
  given?: AbortSignal,
): Promise<T | null> {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), ms)
  const signal = given ? AbortSignal.any([given, late.signal]) : late.signal
  try {
    return await untilAborted(signal, () => work(signal))
  } catch (error) {
    if (signal.aborted) return null
    throw error
  } finally {
    clearTimeout(timer)
  }
}

/** Ms that work has at least: a person may have been waited for until the end. */
const leastMs = 2_000

/** As `withinMs`, by a time in ms since the epoch. */
export function doneBy<T>(
  until: number,
  work: (signal: AbortSignal) => Promise<T>,
  given: AbortSignal,
): Promise<T | null> {
  return withinMs(Math.max(until - Date.now(), leastMs), work, given)
}
