import { msOfWritten } from '../../base/text/written-time.ts'
import { clockToleranceSeconds } from '../signing/clock-tolerance.ts'

/** What an application knows of a decision by its own clock, ms since the epoch. */
export interface DecisionTimes {
  /** When the outcome came. */
  readonly receivedAt: number
  /** When it was asked for; absent: not known. */
  readonly askedAt?: number | undefined
  /** By when it had to be signed; absent: there was no deadline. */
  readonly deadline?: number | undefined
}

/** From a signature until its outcome has to come, ms, unless an application says otherwise; an outcome is sent again for less. */
export const usualMaxAgeMs: number = 24 * 60 * 60_000

const toleranceMs = clockToleranceSeconds * 1000

/** Whether a time that was written (ISO 8601 in UTC with milliseconds) is about now, ms since the epoch: off by no more than clocks may differ. */
export function isAround(written: string, now: number): boolean {
  return Math.abs(msOfWritten(written) - now) <= toleranceMs
}

/**
 * Why a decision was not signed when it may have been, null where it was: after it was asked for, before its deadline, and
 * at most `maxAgeMs` before its outcome came. Clocks may differ by the tolerance; a time that is no number fits nothing.
 * `issuedAt` is quoted.
 */
export function faultOfTimes(
  issuedAt: string,
  { receivedAt, askedAt = -Infinity, deadline = Infinity }: DecisionTimes,
  maxAgeMs: number = usualMaxAgeMs,
): string | null {
  for (const [name, time] of Object.entries({ receivedAt, askedAt, deadline }))
    if (typeof time !== 'number') return `expected ${name} as a number of ms, got ${typeOf(time)}`
  const signedAt = msOfWritten(issuedAt)
  const signed = `signed at ${issuedAt},`
  const came = `it came at ${textOf(receivedAt)} by this clock`
  if (!(signedAt <= receivedAt + toleranceMs))
    return `${signed} after ${came}, which may be ${clockToleranceSeconds} s behind`
  if (!(receivedAt - signedAt <= maxAgeMs + toleranceMs))
    return `${signed} more than ${maxAgeMs / 1000} s (maxAgeMs) before ${came}`
  if (!(signedAt >= askedAt - toleranceMs))
    return `${signed} before it was asked for at ${textOf(askedAt)}`
  if (!(signedAt <= deadline + toleranceMs))
    return `${signed} after the deadline ${textOf(deadline)}`
  return null
}

function typeOf(value: unknown): string {
  return value === null ? 'null' : typeof value
}

/** A time as its text; of what is none, what it is. */
function textOf(ms: number): string {
  const date = new Date(ms)
  return Number.isNaN(date.getTime()) ? String(ms) : date.toISOString()
}
