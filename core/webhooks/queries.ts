import type { Actor, MemberActor } from '../access/actor.ts'
import { authorizeMember } from '../access/authorize.ts'
import { readAs } from '../access/read-as.ts'
import { ringOf } from '../keys/issuer-keys.ts'
import { issuerKeyRings } from '../keys/records.ts'
import { isoTimeOrNull } from '../ledger/iso-time.ts'
import {
  checkListQuery,
  countOf,
  gatherPage,
  type Listing,
  type ListQuery,
  type ListSource,
  listingOf,
  piecesOf,
  wholeList,
} from '../ledger/listing.ts'
import { get, list, many, one } from '../ledger/reads.ts'
import { ok, type Result } from '../ledger/refusal.ts'
import { attemptPiece, keptAttempts } from '../outbox/attempt-log.ts'
import {
  type AttemptRecord,
  attempts,
  type Delivery,
  deliveries,
  messages,
} from '../outbox/records.ts'
import { statusOf } from '../outbox/status.ts'
import type { Read, Versioned, Where } from '../ports/store.ts'
import type { WebhookDeps } from './deps.ts'
import { notFound } from './load-webhook.ts'
import { admitsFor } from './machine/admits.ts'
import { logEntry } from './present-attempt.ts'
import { webhookView } from './present-webhook.ts'
import { type Webhook, webhooks } from './records.ts'
import type { WebhookUseCases } from './use-cases.ts'
import type { DeliveryLogEntry, ReviewEventEntry } from './view.ts'

/** Rows that one read brings. */
const chunk = 500
/** Events are a few hundred bytes each. */
const historyPiece = 100

const utf8 = new TextDecoder()

type Queries = Pick<
  WebhookUseCases,
  | 'list'
  | 'read'
  | 'deliveryLogs'
  | 'wholeDeliveryLog'
  | 'reviewEvents'
  | 'reviewEventsAfter'
  | 'keySet'
>

export function createWebhookQueries(
  ports: Pick<WebhookDeps, 'ledger' | 'clock' | 'keys'>,
): Queries {
  const { ledger, clock, keys } = ports

  async function bodies(
    tenantId: string,
    messageIds: readonly string[],
  ): Promise<ReadonlyMap<string, Uint8Array>> {
    const ids = [...new Set(messageIds)]
    const read = new Map<string, Uint8Array>()
    for (let at = 0; at < ids.length; at += chunk) {
      const reads = ids.slice(at, at + chunk).map((id) => get(messages, [id]))
      for (const found of await ledger.read(tenantId, reads)) {
        const message = one(messages, found)
        if (message) read.set(message.row.messageId, message.row.body)
      }
    }
    return read
  }

  async function allWebhooks(tenantId: string): Promise<readonly Webhook[]> {
    const all: Webhook[] = []
    for (let after = ''; ; ) {
      const where: Where = [
        ['tenantId', '=', tenantId],
        ['webhookId', '>', after],
      ]
      const [found] = await ledger.read(tenantId, [
        list(webhooks, { where, by: 'byTenant', take: chunk }),
      ])
      const rows = many(webhooks, found).map(({ row }) => row)
      all.push(...rows)
      const last = rows.at(-1)
      if (!last || rows.length < chunk) return all
      after = last.webhookId
    }
  }

  async function entriesOf(
    tenantId: string,
    rows: readonly AttemptRecord[],
  ): Promise<readonly DeliveryLogEntry[]> {
    const sent = await bodies(
      tenantId,
      rows.map(({ messageId }) => messageId),
    )
    return rows.map((row) => logEntry(row, sent.get(row.messageId) ?? null))
  }

  function logOf(tenantId: string, webhookId: string): ListSource<AttemptRecord, DeliveryLogEntry> {
    return {
      collection: attempts,
      where: [['endpointId', '=', webhookId], keptAttempts(clock.now())],
      by: 'key',
      newest: true,
      cursor: 'attemptId',
      piece: attemptPiece,
      tell: (rows) =>
        entriesOf(
          tenantId,
          rows.map(({ row }) => row),
        ),
    }
  }

  /** Who may see the log; that of a removed webhook stays for as long as it has attempts. */
  async function viewed(actor: Actor, webhookId: string): Promise<Result<MemberActor>> {
    const allowed = authorizeMember(actor, 'readWebhooks')
    if (!allowed.ok) return allowed
    const { tenantId } = allowed.value
    const { collection, where, by, newest } = logOf(tenantId, webhookId)
    const [known, tried] = await ledger.read(tenantId, [
      get(webhooks, [webhookId]),
      list(collection, { where, by, newest, take: 1 }),
    ])
    if (one(webhooks, known)) return ok(allowed.value)
    // Callbacks and chats have attempts too, under ids of their own.
    const logged = webhookId.startsWith('wh_') ? one(attempts, tried)?.row : null
    return logged?.tenantId === tenantId ? ok(allowed.value) : notFound()
  }

  /** What a webhook selected and was owed; what it is told about itself, and tests, are no history. */
  async function history(
    actor: Actor,
    webhookId: string,
    query: ListQuery,
  ): Promise<Result<Listing<ReviewEventEntry>>> {
    const allowed = authorizeMember(actor, 'readReviewEvents')
    if (!allowed.ok) return allowed
    const { tenantId } = allowed.value
    const read = (reads: readonly Read[]) => ledger.read(tenantId, reads)
    const [known] = await read([get(webhooks, [webhookId])])
    const webhook = one(webhooks, known)
    if (!webhook) return notFound()
    const asked = checkListQuery(query)
    if (!asked.ok) return asked
    const source: ListSource<Delivery, ReviewEventEntry> = {
      collection: deliveries,
      where: [
        ['endpointId', '=', webhookId],
        ['kind', '=', 'event'],
      ],
      by: 'byKind',
      newest: true,
      cursor: 'messageId',
      piece: historyPiece,
      exact: true,
      async tell(rows) {
        const ids = rows.map(({ row }) => row.messageId)
        const sent = await bodies(tenantId, ids)
        return rows.flatMap((delivery) => {
          const body = sent.get(delivery.row.messageId)
          return body ? [historyEntry(delivery, body, webhook.row, clock.now())] : []
        })
      },
    }
    const [found] = await read([countOf(source)])
    return ok(listingOf(source, query, found, read))
  }

  return {
    async list(actor) {
      const allowed = authorizeMember(actor, 'readWebhooks')
      if (!allowed.ok) return allowed
      const { tenantId } = allowed.value
      const all = await allWebhooks(tenantId)
      const [found] = await ledger.read(tenantId, [ringOf(tenantId)])
      const ring = one(issuerKeyRings, found)?.row ?? null
      return ok(all.map((webhook) => webhookView(webhook, ring, clock.now())))
    },

    async read(actor, webhookId) {
      const allowed = authorizeMember(actor, 'readWebhooks')
      if (!allowed.ok) return allowed
      const { tenantId } = allowed.value
      const [found, rings] = await ledger.read(tenantId, [
        get(webhooks, [webhookId]),
        ringOf(tenantId),
      ])
      const webhook = one(webhooks, found)
      if (!webhook) return notFound()
      return ok(webhookView(webhook.row, one(issuerKeyRings, rings)?.row ?? null, clock.now()))
    },

    async deliveryLogs(actor, webhookId, query) {
      const seen = await viewed(actor, webhookId)
      if (!seen.ok) return seen
      const asked = checkListQuery(query)
      if (!asked.ok) return asked
      const { tenantId } = seen.value
      const source = logOf(tenantId, webhookId)
      const [found] = await ledger.read(tenantId, [countOf(source)])
      return ok(listingOf(source, query, found, readAs(ledger, seen.value, 'readWebhooks')))
    },

    async wholeDeliveryLog(actor, webhookId) {
      const seen = await viewed(actor, webhookId)
      if (!seen.ok) return seen
      const read = readAs(ledger, seen.value, 'readWebhooks')
      return ok(piecesOf(logOf(seen.value.tenantId, webhookId), wholeList, read))
    },

    async reviewEvents(actor, { subscriptionId, ...query }) {
      const found = await history(actor, subscriptionId, query)
      if (!found.ok) return found
      const { items, ...rest } = await gatherPage(found.value, query)
      return ok({ subscriptionId, events: items, ...rest })
    },

    reviewEventsAfter: (actor, { subscriptionId, ...query }) =>
      history(actor, subscriptionId, query),

    keySet: (tenantId) => keys.keySet(tenantId, clock.now()),
  }
}

function historyEntry(
  delivery: Versioned<Delivery>,
  body: Uint8Array,
  webhook: Webhook,
  now: number,
): ReviewEventEntry {
  return {
    event: JSON.parse(utf8.decode(body)),
    deliveryStatus: statusOf(delivery, { now, admits: admitsFor(webhook) }),
    deliveredAt: isoTimeOrNull(delivery.row.deliveredAt),
  }
}
