import { ApiError, passes } from './errors.ts'
import type { Surroundings } from './surroundings.ts'

const firstWaitMs = 1_000
const longestWaitMs = 30_000

/** Is called before each wait for a service that is away, with why and the ms until the next try. */
export type OnWaiting = (error: ApiError, nextInMs: number) => void

/** A wait for a human, as far as it meets a service that is away. */
export interface Waiting {
  readonly surroundings: Surroundings
  readonly onWaiting?: OnWaiting | undefined
  /** Of the try before; null once one has succeeded. */
  lastError: ApiError | null
}

/**
 * Calls until it succeeds or is refused for good: a service that restarts is waited for. The call must be idempotent.
 */
export async function persist<T>(
  waiting: Waiting,
  signal: AbortSignal,
  call: () => Promise<T>,
): Promise<T> {
  const { surroundings } = waiting
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(waitMs * 2, longestWaitMs)) {
    try {
      const value = await call()
      waiting.lastError = null
      return value
    } catch (error) {
      if (!(error instanceof ApiError) || !isAway(error)) throw error
      waiting.lastError = error
      const backoff = waitMs * (1 - surroundings.random() / 2)
      const nextInMs = Math.max(backoff, (error.retryAfter ?? 0) * 1_000)
      waiting.onWaiting?.(error, nextInMs)
      await surroundings.wait(nextInMs, signal)
    }
  }
}

/** Whether the service is at fault and not the request. */
function isAway(error: ApiError): boolean {
  if (error.code === 'account_suspended') return false
  return error.code === 'deadline_exceeded' || passes(error)
}
