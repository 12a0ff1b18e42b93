import { authorizeMember } from '../access/authorize.ts'
import { type IssuerKeys, ringOf } from '../keys/issuer-keys.ts'
import { issuerKeyRings } from '../keys/records.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { checkPage, type PageQuery, pageOf } from '../ledger/page.ts'
import { get, list, many, one } from '../ledger/reads.ts'
import { ok } from '../ledger/refusal.ts'
import {
  type AttemptRecord,
  attempts,
  type Delivery,
  deliveries,
  messages,
} from '../outbox/records.ts'
import { statusOf } from '../outbox/status.ts'
import type { Clock } from '../ports/clock.ts'
import type { Read, Versioned, Where } from '../ports/store.ts'
import { admitsFor } from './admits.ts'
import { notFound } from './change.ts'
import { logEntry } from './log-entry.ts'
import { isoOrNull, webhookView } from './present.ts'
import { type Webhook, webhooks } from './records.ts'
import type { WebhookUseCases } from './use-cases.ts'
import type { ReviewEventHistory } from './view.ts'

/** Rows that one read brings. */
const chunk = 500
/** The delivery log (contract, Limits). */
const logMs = 7 * 24 * 60 * 60 * 1_000

const utf8 = new TextDecoder()

type Queries = Pick<WebhookUseCases, 'list' | 'read' | 'deliveryLogs' | 'reviewEvents' | 'keySet'>

export function createWebhookQueries(ports: {
  readonly ledger: Ledger
  readonly clock: Clock
  readonly keys: IssuerKeys
}): Queries {
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

  /** Newest first; with `query` null all of them, read in chunks that go back from the newest. */
  async function loggedAttempts(
    tenantId: string,
    webhookId: string,
    query: PageQuery | null,
  ): Promise<{ readonly rows: readonly AttemptRecord[]; readonly total: number }> {
    const where: Where = [
      ['endpointId', '=', webhookId],
      ['startedAt', '>', clock.now() - logMs],
    ]
    if (query) {
      const { page, pageSize } = query
      const skip = (page - 1) * pageSize
      const [found] = await ledger.read(tenantId, [
        list(attempts, { where, newest: true, skip, take: pageSize, count: true }),
      ])
      return { rows: many(attempts, found).map(({ row }) => row), total: found?.total ?? 0 }
    }
    const rows: AttemptRecord[] = []
    for (let before: Where = []; ; ) {
      const [found] = await ledger.read(tenantId, [
        list(attempts, { where: [...where, ...before], newest: true, take: chunk }),
      ])
      const read = many(attempts, found).map(({ row }) => row)
      rows.push(...read)
      const last = read.at(-1)
      if (!last || read.length < chunk) return { rows, total: rows.length }
      before = [['attemptId', '<', last.attemptId]]
    }
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
      const allowed = authorizeMember(actor, 'readWebhooks')
      if (!allowed.ok) return allowed
      const { tenantId } = allowed.value
      const [known] = await ledger.read(tenantId, [get(webhooks, [webhookId])])
      if (!one(webhooks, known)) return notFound()
      const paging = query ? checkPage(query) : ok(null)
      if (!paging.ok) return paging
      const { rows, total } = await loggedAttempts(tenantId, webhookId, query)
      const sent = await bodies(
        tenantId,
        rows.map(({ messageId }) => messageId),
      )
      const entries = rows.map((row) => logEntry(row, sent.get(row.messageId) ?? null))
      return ok(pageOf(entries, total, query ?? { page: 1, pageSize: total }))
    },

    async reviewEvents(actor, { subscriptionId, ...query }) {
      const allowed = authorizeMember(actor, 'readReviewEvents')
      if (!allowed.ok) return allowed
      const { tenantId } = allowed.value
      const paging = checkPage(query)
      const [known, found] = await ledger.read(tenantId, [
        get(webhooks, [subscriptionId]),
        ...(paging.ok ? [historyOf(subscriptionId, query)] : []),
      ])
      const webhook = one(webhooks, known)
      if (!webhook) return notFound()
      if (!paging.ok) return paging
      const rows = many(deliveries, found)
      const sent = await bodies(
        tenantId,
        rows.map(({ row }) => row.messageId),
      )
      const events = rows.flatMap((delivery) => {
        const body = sent.get(delivery.row.messageId)
        return body ? [historyEntry(delivery, body, webhook.row, clock.now())] : []
      })
      const { items, ...rest } = pageOf(events, found?.total ?? 0, query)
      return ok({ subscriptionId, events: items, ...rest })
    },

    keySet: (tenantId) => keys.keySet(tenantId, clock.now()),
  }
}

/** What a webhook selected and was owed; what it is told about itself, and tests, are no history. */
function historyOf(webhookId: string, { page, pageSize }: PageQuery): Read {
  return list(deliveries, {
    where: [
      ['endpointId', '=', webhookId],
      ['kind', '=', 'event'],
    ],
    by: 'byKind',
    newest: true,
    skip: (page - 1) * pageSize,
    take: pageSize,
    count: true,
  })
}

function historyEntry(
  delivery: Versioned<Delivery>,
  body: Uint8Array,
  webhook: Webhook,
  now: number,
): ReviewEventHistory['events'][number] {
  return {
    event: JSON.parse(utf8.decode(body)),
    deliveryStatus: statusOf(delivery, { now, admits: admitsFor(webhook) }),
    deliveredAt: isoOrNull(delivery.row.deliveredAt),
  }
}
