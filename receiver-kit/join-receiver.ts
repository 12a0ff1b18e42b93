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

/** An endpoint with its handlers. The shells of the hosts mount it; `fetch` is the one for Request and Response. */
export interface Receiver extends Mountable, Omit<HandlerLoop, 'wake' | 'running' | 'handling'> {
  readonly fetch: (request: Request) => Promise<Response>
  /**
   * For a host without a shell: verifies, stores and answers one request, its body the raw bytes. The host bounds the
   * body's size and time itself. Never rejects.
   */
  handle(inbound: Inbound): Promise<ReceiverAnswer>
  /** For health checks and metrics; costs nothing. */
  status(): ReceiverStatus
}

/** What a receiver is doing. */
export interface ReceiverStatus {
  /** Whether it was started and not stopped. */
  readonly running: boolean
  /** Messages that are being stored. */
  readonly storing: number
  /** Handlers that run. */
  readonly handling: number
  /** Why the inbox's last `store` or `take` failed; null when it succeeded. */
  readonly inboxFailure: InboxFailure | null
}

/** What is stored at the endpoint wakes the loop. */
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
