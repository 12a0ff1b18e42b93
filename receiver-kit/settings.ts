import type { Clock, Inbox } from '@countersign/core/ports'
import { type Primitives, portablePrimitives } from '@countersign/core/signing'
import type { HandlerLoopOptions } from './handling/handler-loop.ts'
import { createInboxHealth } from './handling/inbox-health.ts'
import type { ReceiverObserver } from './observed-events.ts'
import type { EndpointOptions } from './receiving/endpoint.ts'
import { systemClock } from './system-clock.ts'

/** Options that event receiver and outcome handler share. */
export interface Settings {
  readonly inbox: Inbox
  readonly clock?: Clock
  /** Signature primitives; default portable. On Node, `nativePrimitives` of `@countersign/node/crypto` are faster. */
  readonly primitives?: Primitives
  /** Gets every refusal with its reason and every failure; default none. */
  readonly observer?: ReceiverObserver
  /** Ms within which a message must be read and stored, else 503; default 8,000. The sender's timeout is 10,000. */
  readonly ackDeadlineMs?: number
  /** Longest body in bytes; default 1 MiB. */
  readonly maxBodyBytes?: number
  /**
   * Bytes of all bodies that are read or stored at a time; default 32 MiB, at least `maxBodyBytes`. Beyond it the largest
   * unfinished body is answered 503 with `Retry-After`.
   */
  readonly maxHeldBytes?: number
  /** Backpressure: concurrent stores; default 1,000. More are answered 503. */
  readonly maxStoring?: number
  /** Concurrent handlers; default 64. Handlers of one case never run concurrently. */
  readonly concurrency?: number
  /** Lease of an entry in ms, renewed while its handler runs; default 30,000. After a crash the entry waits as long. */
  readonly holdMs?: number
  /** Ms between polls for due retries; default 1,000. */
  readonly pollMs?: number
  /** Backoff in ms after this attempt (from 1) failed; default doubles from 1 s to 15 min. */
  readonly retryAfterMs?: (attempt: number) => number
}

export function readSettings(settings: Settings): {
  readonly primitives: Primitives
  readonly endpoint: EndpointOptions
  readonly handling: Omit<HandlerLoopOptions, 'topic'>
} {
  const { inbox, clock = systemClock } = settings
  const observer = guarded(settings.observer)
  const health = createInboxHealth(clock)
  const { primitives = portablePrimitives, retryAfterMs = doubling } = settings
  const whole = (name: NumberName, fallback: number, most: number) =>
    wholeNumber(name, settings[name] ?? fallback, most)
  const maxBodyBytes = whole('maxBodyBytes', 1_048_576, 64 * 1_048_576)
  return {
    primitives,
    endpoint: {
      inbox,
      clock,
      observer,
      health,
      ackDeadlineMs: whole('ackDeadlineMs', 8_000, 9_900),
      maxBodyBytes,
      maxHeldBytes: Math.max(whole('maxHeldBytes', 32 * 1_048_576, 2 ** 40), maxBodyBytes),
      maxStoring: whole('maxStoring', 1_000, 1_000_000),
    },
    handling: {
      inbox,
      clock,
      observer,
      health,
      retryAfterMs,
      concurrency: whole('concurrency', 64, 1_000),
      holdMs: whole('holdMs', 30_000, 86_400_000),
      pollMs: whole('pollMs', 1_000, 3_600_000),
    },
  }
}

type NumberName = {
  [Name in keyof Settings]-?: number extends Settings[Name] ? Name : never
}[keyof Settings]

function wholeNumber(name: string, value: number, most: number): number {
  if (Number.isInteger(value) && value >= 1 && value <= most) return value
  throw new RangeError(`expected ${name} as a whole number from 1 to ${most}, got ${value}`)
}

const longestRetryMs = 15 * 60_000

function doubling(attempt: number): number {
  return Math.min(1_000 * 2 ** (attempt - 1), longestRetryMs)
}

/** An observer that throws must not affect answers or handlers. */
function guarded(observer: ReceiverObserver | undefined): ReceiverObserver {
  return {
    event(...told) {
      try {
        observer?.event(...told)
      } catch {
        // No one left to report to.
      }
    },
  }
}
