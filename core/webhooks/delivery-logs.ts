import type { Clock } from '../base/ports/clock.ts'
import type { Actor, MemberActor } from '../kernel/callers/actor.ts'
import { authorizeMember } from '../kernel/callers/authorize.ts'
import type { Ledger } from '../kernel/ledger/ledger.ts'
import {
  checkListQuery,
  countOf,
  type Listing,
  type ListQuery,
  type ListSource,
  listingOf,
  type Pieces,
  piecesOf,
  wholeList,
} from '../kernel/ledger/listing.ts'
import { get, list, one } from '../kernel/ledger/reads.ts'
import { ok, type Result } from '../kernel/ledger/refusal.ts'
import { readAs } from '../organizations/access/read-as.ts'
import { attemptPiece, keptAttempts } from '../outbox/attempt-log.ts'
import { type AttemptRecord, attempts } from '../outbox/records.ts'
import { notFound } from './load-webhook.ts'
import { type DeliveryLogEntry, logEntry } from './log-entry.ts'
import { bodiesOf } from './message-bodies.ts'
import { webhooks } from './records.ts'

/** Delivery logs, which are read as they are asked for: one may be larger than the memory. */
export function createDeliveryLogs({
  ledger,
  clock,
}: {
  readonly ledger: Ledger
  readonly clock: Clock
}) {
  function logOf(tenantId: string, webhookId: string): ListSource<AttemptRecord, DeliveryLogEntry> {
    return {
      collection: attempts,
      where: [['endpointId', '=', webhookId], keptAttempts(clock.now())],
      by: 'key',
      newest: true,
      cursor: 'attemptId',
      piece: attemptPiece,
      async tell(rows) {
        const ids = rows.map(({ row }) => row.messageId)
        const sent = await bodiesOf(ids, (reads) => ledger.read(tenantId, reads))
        return rows.map(({ row }) => logEntry(row, sent.get(row.messageId) ?? null))
      },
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

  return {
    /** Attempts of the last seven days, newest first. Refuses with `not_found`, `invalid_request`. */
    async deliveryLogs(
      actor: Actor,
      { webhookId, ...query }: { readonly webhookId: string } & ListQuery,
    ): Promise<Result<Listing<DeliveryLogEntry>>> {
      const seen = await viewed(actor, webhookId)
      if (!seen.ok) return seen
      const asked = checkListQuery(query)
      if (!asked.ok) return asked
      const { tenantId } = seen.value
      const source = logOf(tenantId, webhookId)
      const [found] = await ledger.read(tenantId, [countOf(source)])
      return ok(listingOf(source, query, found, readAs(ledger, seen.value, 'readWebhooks')))
    },

    /** Every attempt of the last seven days, newest first. Refuses with `not_found`. */
    async wholeDeliveryLog(
      actor: Actor,
      { webhookId }: { readonly webhookId: string },
    ): Promise<Result<Pieces<DeliveryLogEntry>>> {
      const seen = await viewed(actor, webhookId)
      if (!seen.ok) return seen
      const read = readAs(ledger, seen.value, 'readWebhooks')
      return ok(piecesOf(logOf(seen.value.tenantId, webhookId), wholeList, read))
    },
  }
}
