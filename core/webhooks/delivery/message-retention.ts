import type { Versioned } from '../../base/ports/store.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { endedMessageDays } from '../../kernel/ledger/limits.ts'
import { get, list, many, one } from '../../kernel/ledger/reads.ts'
import { handler, type WorkUnit } from '../../kernel/work/handler.ts'
import { type Delivery, deliveries, type Message, messages } from '../../outbox/records.ts'
import { webhooks } from '../records.ts'

const day = 24 * 60 * 60 * 1_000
/** From the end of one look at all messages to the next. */
const everyMs = 60 * 60 * 1_000
/** Messages looked at in one commit. */
const window = 50

/** How far a look has come; kept in the work item. */
interface Look {
  /** Id of the last message that was looked at, or what sorts behind those of its kind. */
  readonly after: string
  /** When this look and the one before began. */
  readonly began: number
  readonly before: number | null
}

/**
 * Removes a message with its deliveries 30 days after the last of these ended; one that has not ended stays. So does a
 * report of missed events that its webhook still owes.
 */
export const messageRetention = handler<Look | null>({
  kind: 'messageRetention',
  of: 'system',
  permanent: ['all'],
  async run(unit, { state }) {
    const look = state ?? { after: '', began: unit.now, before: null }
    const next = unit.now + everyMs
    const done = { next, state: { after: '', began: next, before: look.began } }
    if (look.before === null) return done
    // By the clock of the look before as well: one that runs ahead for less than a look removes nothing.
    const until = Math.min(unit.now, look.before) - endedMessageDays * day
    const [found] = await unit.read([
      list(messages, { where: [['messageId', '>', look.after]], take: window }),
    ])
    const rows = many(messages, found)
    const firstYoung = rows.findIndex(({ row }) => row.createdAt >= until)
    const old = firstYoung < 0 ? rows : rows.slice(0, firstYoung)
    await removeEnded(unit, old, until)
    const young = rows[firstYoung]
    const last = rows.at(-1)
    // Ids sort by kind, then by time: behind a young one there is no old one of its kind.
    const after = young ? behindKind(young.row.messageId) : (last?.row.messageId ?? null)
    if (after === null || (!young && rows.length < window)) return done
    return { next: unit.now, state: { ...look, after } }
  },
})

/** `evt_~` for `evt_…`: no id has a character that sorts behind. */
function behindKind(messageId: string): string {
  return `${messageId.slice(0, messageId.indexOf('_') + 1)}~`
}

async function removeEnded(
  unit: WorkUnit<'system'>,
  old: readonly Versioned<Message>[],
  until: number,
): Promise<void> {
  const owedOf = await deliveriesOf(unit, old)
  for (const message of old) {
    const owed = owedOf.get(message.row.messageId) ?? []
    if (!owed.every(({ row }) => endOf(row) < until)) continue
    if (await isOwedAgain(unit, owed)) continue
    for (const delivery of owed) unit.remove(deliveries, delivery)
    unit.remove(messages, message)
  }
}

/** The deliveries of messages, by the message's id; one that has none is absent. */
export async function deliveriesOf(
  unit: UnitOfWork,
  some: readonly Versioned<Message>[],
): Promise<ReadonlyMap<string, readonly Versioned<Delivery>[]>> {
  const keys = some.flatMap(({ row: { messageId, endpointIds } }) =>
    endpointIds.map((endpointId) => [endpointId, messageId] as const),
  )
  const found = await unit.read(keys.map((key) => get(deliveries, key)))
  const owedOf = new Map<string, Versioned<Delivery>[]>()
  for (const delivery of found.flatMap((answer) => one(deliveries, answer) ?? [])) {
    const { messageId } = delivery.row
    owedOf.set(messageId, [...(owedOf.get(messageId) ?? []), delivery])
  }
  return owedOf
}

/** Ms; infinite for one that has not ended. */
function endOf({ endedAt }: Delivery): number {
  return endedAt ?? Number.POSITIVE_INFINITY
}

/** Whether a webhook keeps a window that this message is to report. */
async function isOwedAgain(
  unit: UnitOfWork,
  owed: readonly Versioned<Delivery>[],
): Promise<boolean> {
  const reports = owed.filter(
    ({ row }) => row.type === 'subscription.events_missed' && row.status !== 'delivered',
  )
  if (reports.length === 0) return false
  const found = await unit.read(reports.map(({ row }) => get(webhooks, [row.endpointId])))
  return reports.some(({ row: { messageId } }, at) =>
    one(webhooks, found[at])?.row.unreported.some((window) => window.messageId === messageId),
  )
}
