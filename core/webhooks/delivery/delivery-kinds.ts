import type { Versioned } from '../../base/ports/store.ts'
import type { Ledger } from '../../kernel/ledger/ledger.ts'
import { get, one } from '../../kernel/ledger/reads.ts'
import type { Post } from '../../kernel/mail/post.ts'
import type { Endpoint, Kind } from '../../outbox/kind.ts'
import type { DeliveryKind } from '../../outbox/records.ts'
import { type Webhook, webhooks } from '../records.ts'
import { consequences, entails } from './consequences.ts'
import { type EndpointDeps, type WebhookEndpoint, webhookEndpoint } from './endpoint.ts'

/** Webhooks whose opened secrets are kept. */
const cacheSize = 10_000

/** The outbox kinds of webhooks: selected events, notices about the webhook itself, and tests. */
export function createWebhookKinds(
  ports: EndpointDeps & { readonly ledger: Ledger; readonly post: Post },
): readonly Kind[] {
  const cache = new Map<string, { readonly version: number; readonly endpoint: WebhookEndpoint }>()

  function endpointOf({ row, version }: Versioned<Webhook>): WebhookEndpoint {
    const known = cache.get(row.webhookId)
    if (known?.version === version) return known.endpoint
    const endpoint = webhookEndpoint(row, ports)
    cache.delete(row.webhookId)
    cache.set(row.webhookId, { version, endpoint })
    const [oldest] = cache.keys()
    if (cache.size > cacheSize && oldest !== undefined) cache.delete(oldest)
    return endpoint
  }

  async function endpoints(ids: readonly string[]): Promise<ReadonlyMap<string, Endpoint>> {
    const found = await ports.ledger.read(
      null,
      ids.map((id) => get(webhooks, [id])),
    )
    return new Map(
      found.flatMap((answer) => {
        const webhook = one(webhooks, answer)
        return webhook ? [[webhook.row.webhookId, endpointOf(webhook)] as const] : []
      }),
    )
  }

  const names: readonly DeliveryKind[] = ['event', 'notice', 'test']
  return names.map((name) => ({
    name,
    watches: [webhooks.name],
    endpoints,
    entails,
    consequences: (settled, unit) => consequences(settled, unit, ports.post),
  }))
}
