import type { Clock, Inbox } from '@countersign/core/ports'
import { type Primitives, portablePrimitives } from '@countersign/core/signing'
import type { HandlerLoopOptions } from './handling/handler-loop.ts'
import { createInboxHealth } from './handling/inbox-health.ts'
import type { ReceiverObserver } from './observed-events.ts'
import type { EndpointOptions } from './receiving/endpoint.ts'
import { systemClock } from './system-clock.ts'

/** What both receivers take besides keys and handlers. */
export interface Settings {
  readonly inbox: Inbox
  readonly clock?: Clock
  /** `nativePrimitives` of `@countersign/node/crypto` are the faster ones on Node; both accept the same signatures. */
  readonly primitives?: Primitives
  /** Is told every refusal with its reason, and every failure; silent unless given. */
  readonly observer?: ReceiverObserver
  /** Ms in which a message is read and stored, else 503; 8,000 unless given. The sender gives up after 10,000. */
  readonly ackDeadlineMs?: number
  /** 1 MiB unless given. */
  readonly maxBodyBytes?: number
  /** Messages being stored at once, 1,000 unless given; more are answered 503. */
  readonly maxStoring?: number
  /** Handlers that run at once, 64 unless given; of one case always one. */
  readonly concurrency?: number
  /** Ms for which an entry whose process died waits for the next, 30,000 unless given; renewed while a handler runs. */
  readonly holdMs?: number
  /** Ms between looks for due retries, 1,000 unless given. */
  readonly pollMs?: number
  /** Ms to the next try after this attempt (from 1) failed; doubles from 1 s to 15 min unless given. */
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
  return {
    primitives,
    endpoint: {
      inbox,
      clock,
      observer,
      health,
      ackDeadlineMs: whole('ackDeadlineMs', 8_000, 9_900),
      maxBodyBytes: whole('maxBodyBytes', 1_048_576, 64 * 1_048_576),
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

/** Whatever goes wrong while somebody watches changes nothing about what is answered and handled. */
function guarded(observer: ReceiverObserver | undefined): ReceiverObserver {
  return {
    event(...told) {
      try {
        observer?.event(...told)
      } catch {
        // There is nobody to tell it to.
      }
    },
  }
}
