import type { HandlerLoop } from './handling/handler-loop.ts'
import type { InboxFailure } from './handling/inbox-health.ts'
import { fetchHandler } from './hosts/fetch.ts'
import type { ReceiverAnswer } from './receiving/answer.ts'
import {
  createEndpoint,
  type EndpointOptions,
  type EndpointRules,
  type Inbound,
  type Mountable,
} from './receiving/endpoint.ts'

/** An endpoint with its handlers, for a host to mount. */
export interface Receiver extends Mountable, Omit<HandlerLoop, 'wake' | 'running' | 'handling'> {
  /** For hosts with Request and Response. */
  readonly fetch: (request: Request) => Promise<Response>
  /**
   * For any other host: verifies, stores and answers one request with its raw body. The caller limits size and time
   * of reading the body. Never rejects.
   */
  handle(inbound: Inbound): Promise<ReceiverAnswer>
  /** For health checks and metrics; reads memory only. */
  status(): ReceiverStatus
}

/** State of a receiver. */
export interface ReceiverStatus {
  /** Whether it was started and not stopped. */
  readonly running: boolean
  /** Number of stores in progress. */
  readonly storing: number
  /** Number of running handlers. */
  readonly handling: number
  /** Failure of the inbox's last `store` or `take`; null when it succeeded. */
  readonly inboxFailure: InboxFailure | null
}

/** Joins endpoint and handler loop: each stored entry wakes the loop. */
export function joinReceiver(
  options: EndpointOptions,
  rules: Omit<EndpointRules, 'onStored'>,
  loop: HandlerLoop,
): Receiver {
  const { start, stop, drain, wake, running, handling } = loop
  const endpoint = createEndpoint(options, { ...rules, onStored: wake })
  return {
    endpoint,
    fetch: fetchHandler({ endpoint }),
    handle: (inbound) => endpoint.answer(inbound, options.clock.monotonic()),
    start,
    stop,
    drain,
    status: () => ({
      running: running(),
      storing: endpoint.storing(),
      handling: handling(),
      inboxFailure: options.health.failure(),
    }),
  }
}
