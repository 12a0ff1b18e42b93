import { type Delivery, deliveries, type Message, messages } from '@countersign/core/internal'
import { newId, put } from '@countersign/core/ledger'
import type { Put, Store } from '@countersign/core/ports'
import { nodeRandom } from '@countersign/node'
import { sampleBody } from './ceiling.ts'

export interface Endpoint {
  readonly webhookId: string
  readonly tenantId: string
  readonly applicationId: string
}

const random = nodeRandom()
const setsAtOnce = 500

/** Commits deliveries that are due and leased by nobody, over the endpoints in turn: what a downtime leaves. */
export async function seedPending(
  store: Store,
  endpoints: readonly Endpoint[],
  count: number,
): Promise<void> {
  for (let done = 0; done < count; done += setsAtOnce) {
    const size = Math.min(setsAtOnce, count - done)
    const puts = Array.from({ length: size }, (_, at) =>
      pending(endpoints[(done + at) % endpoints.length] as Endpoint),
    )
    await store.commit({ tenant: null, puts: puts.flat() })
  }
}

function pending({ webhookId, tenantId, applicationId }: Endpoint): readonly Put[] {
  const now = Date.now()
  const messageId = newId('evt', now, random)
  const common = {
    messageId,
    tenantId,
    applicationId,
    type: 'review.case.cancelled',
    family: 'standard',
    createdAt: now,
  } as const
  const message: Message = { ...common, endpointIds: [webhookId], body: sampleBody }
  const delivery: Delivery = {
    ...common,
    endpointId: webhookId,
    deliveryId: newId('dlv', now, random),
    kind: 'event',
    policy: 'review',
    round: 1,
    generation: 0,
    status: 'pending',
    due: now,
    attempts: 0,
    logged: 0,
    interrupted: 0,
    broughtForward: 0,
    firstAttemptAt: null,
    deliveredAt: null,
    lastAttemptAt: null,
    lastResponseStatus: null,
    lastError: null,
    endedAt: null,
    trigger: 'event',
  }
  return [put(messages, message, null), put(deliveries, delivery, null)]
}
