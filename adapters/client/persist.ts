import { ApiError, passes } from './errors.ts'
import type { Surroundings } from './surroundings.ts'

const firstWaitMs = 1_000
const longestWaitMs = 30_000

/** Calls until it succeeds or is refused for good: a service that restarts is waited for. The call must bear repetition. */
export async function persist<T>(
  surroundings: Surroundings,
  signal: AbortSignal,
  call: () => Promise<T>,
): Promise<T> {
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(waitMs * 2, longestWaitMs)) {
    try {
      return await call()
    } catch (error) {
      if (!(error instanceof ApiError) || !isAway(error)) throw error
      const backoff = waitMs * (1 - surroundings.random() / 2)
      await surroundings.wait(Math.max(backoff, (error.retryAfter ?? 0) * 1_000), signal)
    }
  }
}

/** Whether it is the service's trouble and not the request's. */
function isAway(error: ApiError): boolean {
  if (error.code === 'account_suspended') return false
  return error.code === 'deadline_exceeded' || passes(error)
}
