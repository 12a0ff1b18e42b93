import type { Versioned } from '../base/ports/store.ts'
import { createFifo, type Fifo } from './fifo.ts'
import type { DispatcherOptions } from './options.ts'
import type { Delivery } from './records.ts'

/** A delivery under a lease of ours. */
export interface Flight {
  readonly lane: Lane
  readonly found: Versioned<Delivery>
  /** What to send; null until it is read, for a delivery that was claimed. */
  body: Uint8Array | null
  /** Monotonic ms. */
  readonly leaseEnds: number
  /** It holds one of the slots for suspects. */
  suspect: boolean
}

/** What a dispatcher knows of one endpoint. */
export interface Lane {
  readonly endpointId: string
  tenantId: string
  readonly waiting: Fifo<Flight>
  inFlight: number
  /** Leases offered to fan-outs that have not committed yet. */
  promised: number
  /** Deliveries that it may hold, in flight and waiting: grows with each success, halves with consecutive failures. */
  window: number
  /** Failures since the last success. */
  failures: number
  /** A moving average. */
  latencyMs: number
  /** The store holds more that is due. */
  more: boolean
  /** Reasons not to send for now: a 410 that is not committed yet, an endpoint that could not be read. */
  closures: number
}

const firstWindow = 4
/** What waits for an endpoint should be under way within this time. */
const horizonMs = 8_000
/** One answer at the deadline makes a new lane slow. */
const slowMs = 2_000

export function createLane(endpointId: string, tenantId: string): Lane {
  return {
    endpointId,
    tenantId,
    waiting: createFifo(),
    inFlight: 0,
    promised: 0,
    window: firstWindow,
    failures: 0,
    latencyMs: 1_000,
    more: false,
    closures: 0,
  }
}

/** Only failures have been seen lately, so it is tried one at a time. */
export function isSuspect(lane: Lane): boolean {
  return lane.failures > 0 && lane.window === 1
}

/** Its answers take so long that each holds a slot for seconds. */
export function isSlow(lane: Lane): boolean {
  return lane.latencyMs > slowMs
}

/** Nothing of it is under way or known to wait. */
export function atRest(lane: Lane): boolean {
  return lane.inFlight + lane.waiting.length + lane.promised + lane.closures === 0 && !lane.more
}

/** Adapts to an answer: single failures change nothing, consecutive ones halve the window down to one. */
export function learn(
  lane: Lane,
  success: boolean,
  latencyMs: number,
  options: DispatcherOptions,
): void {
  if (!success) {
    lane.failures++
    // A refused connection says nothing of the pace; a time-out does.
    if (latencyMs > lane.latencyMs) lane.latencyMs += (latencyMs - lane.latencyMs) / 8
    if (lane.failures > 1)
      lane.window = Math.max(1, Math.min(lane.window, options.slotsPerEndpoint) >> 1)
    return
  }
  lane.failures = 0
  lane.latencyMs += (latencyMs - lane.latencyMs) / 8
  widen(lane, options)
}

/** Lets it hold one more, as far as its pace gives a reason to. */
export function widen(lane: Lane, options: DispatcherOptions): void {
  const pace = (options.slotsPerEndpoint * horizonMs) / Math.max(1, lane.latencyMs)
  const ceiling = Math.min(
    options.readyPerEndpoint,
    Math.max(options.slotsPerEndpoint, Math.floor(pace)),
  )
  lane.window = Math.min(lane.window + 1, ceiling)
}
