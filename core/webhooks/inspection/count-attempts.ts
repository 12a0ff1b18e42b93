import { list, many } from '../../kernel/ledger/reads.ts'
import { handler, type WorkUnit } from '../../kernel/work/handler.ts'
import { type AttemptRecord, attempts } from '../../outbox/records.ts'
import { webhooks } from '../records.ts'
import { deliveryHours, hourMs } from './delivery-hours.ts'
import { withLatencies } from './latency-buckets.ts'

const everyMs = 60_000
/** An attempt is committed within this time of its start: its 10 s, and as long as its lease lets the commit be retried. */
const settledWithinMs = 60_000
/** Attempts of one commit: each may hold 64 KiB of an endpoint's answer. */
const piece = 50

/** How far attempts were counted: those that started before `at`, and so many of the ones that started then. */
interface Counted {
  readonly at: number
  readonly seen: number
}

/**
 * Counts the attempts to send to webhooks by the hour, once each: how far it came is committed with the counts, and what
 * settles commit has no row in common.
 */
export const countAttempts = handler<Counted | null>({
  kind: 'attemptCounts',
  of: 'system',
  permanent: ['all'],
  async run(unit, { state }) {
    const { at, seen } = state ?? { at: 0, seen: 0 }
    const until = unit.now - settledWithinMs
    const [found] = await unit.read([
      list(attempts, {
        where: [
          ['startedAt', '>=', at],
          ['startedAt', '<', until],
        ],
        by: 'byAge',
        skip: seen,
        take: piece,
      }),
    ])
    const rows = many(attempts, found).map(({ row }) => row)
    const last = rows.at(-1)
    if (!last) return unit.now + everyMs
    for (const group of groupsOf(rows)) await count(unit, group)
    const same = rows.filter(({ startedAt }) => startedAt === last.startedAt).length
    const counted = { at: last.startedAt, seen: last.startedAt === at ? seen + same : same }
    return { next: rows.length < piece ? unit.now + everyMs : unit.now, state: counted }
  },
})

/** Attempts of one webhook in one hour. */
interface Group {
  readonly webhookId: string
  readonly hourAt: number
  readonly rows: readonly AttemptRecord[]
}

function groupsOf(rows: readonly AttemptRecord[]): readonly Group[] {
  const groups = new Map<string, Group>()
  for (const row of rows) {
    const { endpointId: webhookId, startedAt, trigger } = row
    // Callbacks and chats have attempts too.
    if (!webhookId.startsWith('wh_') || trigger === 'test') continue
    const hourAt = startedAt - (startedAt % hourMs)
    const name = `${webhookId} ${hourAt}`
    groups.set(name, { webhookId, hourAt, rows: [...(groups.get(name)?.rows ?? []), row] })
  }
  return [...groups.values()]
}

/** Adds to the hour of a webhook; one that was removed, or whose organization was, gets no more. */
async function count(unit: WorkUnit<'system'>, { webhookId, hourAt, rows }: Group): Promise<void> {
  const { webhook, hour } = await unit.ask({
    webhook: webhooks.get(webhookId),
    hour: deliveryHours.get(webhookId, hourAt),
  })
  if (!webhook) return
  const none = { delivered: 0, failed: 0, latencies: [] }
  const { delivered, failed, latencies } = hour?.row ?? none
  const taken = rows.filter(({ outcome }) => outcome === 'delivered')
  const { tenantId } = webhook.row
  unit.put(
    deliveryHours,
    {
      ...{ webhookId, hourAt, tenantId },
      delivered: delivered + taken.length,
      failed: failed + rows.length - taken.length,
      latencies: withLatencies(
        latencies,
        taken.map(({ latencyMs }) => latencyMs),
      ),
    },
    hour,
  )
}
