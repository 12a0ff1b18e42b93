import type { Put } from '../base/ports/store.ts'
import type { UnitOfWork } from '../kernel/ledger/ledger.ts'
import { get, one, put } from '../kernel/ledger/reads.ts'
import type { Intake } from '../outbox/kind.ts'
import { replay } from '../outbox/machine.ts'
import { deliveries } from '../outbox/records.ts'
import { oweNotices } from './delivery/notices.ts'
import { upkeepPut } from './delivery/upkeep.ts'
import type { WebhookRows } from './load-webhook.ts'
import { admitsFor } from './machine/admits.ts'
import type { Decided } from './machine/command.ts'
import { type Webhook, webhooks } from './records.ts'
import { eventTime } from './routing/event-time.ts'
import { rerouted } from './routing/reroute.ts'

/** The puts of a decided change: the record, the routing row if it changes, and owed notices. */
export async function changePuts(
  unit: UnitOfWork,
  intake: Intake,
  seen: WebhookRows,
  decided: Decided,
): Promise<readonly Put[]> {
  const { routing, times } = seen
  const { webhook: after, notices, again } = decided
  const before = seen.webhook?.row ?? null
  if (after === before) return []
  const route = rerouted(routing, { before, after }, times)
  const upkeep = before && (await upkeepPut(unit, before, after))
  return [
    put(webhooks, after, seen.webhook),
    ...(route ? [route] : []),
    ...(upkeep ? [upkeep] : []),
    ...oweNotices(unit, intake, after, notices, eventTime(routing, unit.now)),
    ...(await oweAgain(unit, after, again)),
  ]
}

/** Owes notices again that were ended unsent, under their ids; leaves those under way or delivered. */
async function oweAgain(
  unit: UnitOfWork,
  webhook: Webhook,
  messageIds: readonly string[],
): Promise<readonly Put[]> {
  if (messageIds.length === 0) return []
  const found = await unit.read(messageIds.map((id) => get(deliveries, [webhook.webhookId, id])))
  return found.flatMap((answer) => {
    const was = one(deliveries, answer)
    const next =
      was &&
      was.row.status !== 'delivered' &&
      replay(was, { now: unit.now, admits: admitsFor(webhook), generation: webhook.generation })
    return next ? [put(deliveries, next, was)] : []
  })
}
