import {
  createEndpoint,
  type Endpoint,
  type EndpointOptions,
  type EndpointRules,
} from './endpoint.ts'
import { fetchHandler } from './fetch.ts'
import type { HandlerLoop } from './handler-loop.ts'

/** An endpoint with its handlers; the shells of the hosts bind it, `fetch` is the one for Request and Response. */
export interface Receiver extends Endpoint, Omit<HandlerLoop, 'wake'> {
  readonly fetch: (request: Request) => Promise<Response>
}

/** What is stored at the endpoint wakes the loop. */
export function joinReceiver(
  options: EndpointOptions,
  rules: Omit<EndpointRules, 'onStored'>,
  loop: HandlerLoop,
): Receiver {
  const { start, stop, drain, wake } = loop
  const endpoint = createEndpoint(options, { ...rules, onStored: wake })
  return { ...endpoint, fetch: fetchHandler(endpoint), start, stop, drain }
}
