import { readFileSync } from 'node:fs'
import { type Client, createClient } from '@countersign/client'
import { Agent, fetch } from 'undici'

/** The application of the demo: the typed client, which trusts the local authority. */
export function openApplication(options: {
  readonly origin: string
  readonly caFile: string
  readonly key: string
}): { readonly client: Client; close(): Promise<void> } {
  const dispatcher = new Agent({ connect: { ca: readFileSync(options.caFile) } })
  const trusting = fetch as unknown as (url: string, init: object) => Promise<Response>
  const client = createClient({
    ingestUrl: options.origin,
    apiKey: options.key,
    surroundings: {
      fetch: (url, init) => trusting(url, { ...init, dispatcher }),
    },
  })
  return { client, close: () => dispatcher.destroy() }
}
