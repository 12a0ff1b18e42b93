import type { Collection, Key, Versioned } from '../../base/ports/store.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { keyIn, pageAfter } from '../../kernel/ledger/pages.ts'
import { list, many, put, removalsOf } from '../../kernel/ledger/reads.ts'
import {
  attempts,
  type Delivery,
  deliveries,
  type Message,
  messages,
} from '../../outbox/records.ts'
import { deliveriesOf } from '../../webhooks/delivery/message-retention.ts'
import type { PurgeOwner, PurgePart } from './purge-part.ts'

/** Messages, attempts or callbacks that one commit looks at. */
const piece = 50

/** The event of the purge itself, which outlives it. */
const lastWord: Message['type'] = 'application.purge_completed'

/** Callbacks that were not sent end as dead letters; nothing follows from that. */
export const callbacksPart: PurgePart = {
  name: 'callbacks',
  async remove(unit, { applicationId }) {
    const found = await unit.read(
      (['pending', 'retry_scheduled'] as const).map((status) =>
        list(deliveries, {
          by: 'byStatus',
          where: [
            ['endpointId', '=', applicationId],
            ['status', '=', status],
          ],
          take: piece,
        }),
      ),
    )
    const unsent = found.flatMap((each) => many(deliveries, each))
    const puts = unsent.map((was) =>
      put(
        deliveries,
        { ...was.row, status: 'dead_lettered', due: null, endedAt: unit.now } satisfies Delivery,
        was,
      ),
    )
    return { set: { puts }, removed: 0, after: unsent.length > 0 ? [applicationId] : null }
  },
  left: () => null,
}

/** Ended deliveries, and messages all of whose deliveries have ended. Unended ones stay, with their message. */
const messagesPart: PurgePart = {
  name: messages.name,
  async remove(unit, owner, after) {
    const page = await pageOf(unit, messages, owner, after)
    const some = page.filter(({ row }) => row.type !== lastWord)
    const owedOf = await deliveriesOf(unit, some)
    const removes = some.flatMap((message) => {
      const owed = owedOf.get(message.row.messageId) ?? []
      const ended = owed.filter(({ row }) => hasEnded(row))
      return [
        ...removalsOf(deliveries, ended),
        ...removalsOf(messages, ended.length === owed.length ? [message] : []),
      ]
    })
    return { set: { removes }, removed: removes.length, after: endOf(messages, page) }
  },
  left: () => null,
}

/** Rows of the application that have ended. */
function endedPart<R extends { readonly type: Message['type'] }>(
  collection: Collection<R>,
  isEnded: (row: R) => boolean,
): PurgePart {
  return {
    name: collection.name,
    async remove(unit, owner, after) {
      const page = await pageOf(unit, collection, owner, after)
      const ended = page.filter(({ row }) => row.type !== lastWord && isEnded(row))
      const removes = removalsOf(collection, ended)
      return { set: { removes }, removed: removes.length, after: endOf(collection, page) }
    },
    left: () => null,
  }
}

function pageOf<R extends object>(
  unit: UnitOfWork,
  collection: Collection<R>,
  { applicationId }: PurgeOwner,
  after: Key | null,
): Promise<readonly Versioned<R>[]> {
  const where = [['applicationId', '=', applicationId]] as const
  return pageAfter(unit, collection, { by: 'byApplication', where, after, take: piece })
}

/** The key behind which the next page lies; null behind the last. */
function endOf<R extends object>(
  collection: Collection<R>,
  page: readonly Versioned<R>[],
): Key | null {
  const last = page.at(-1)
  return last && page.length === piece ? keyIn(collection, last.row) : null
}

function hasEnded({ status }: Delivery): boolean {
  return status === 'delivered' || status === 'dead_lettered'
}

/** What the outbox holds of an application. */
export const deliveryParts: readonly PurgePart[] = [
  callbacksPart,
  messagesPart,
  // Those whose message is gone.
  endedPart(deliveries, hasEnded),
  endedPart(attempts, () => true),
]

/** Whether the outbox still holds anything of an application beside the event of its purge. */
export async function owesStill(unit: UnitOfWork, { applicationId }: PurgeOwner): Promise<boolean> {
  const [found] = await unit.read([
    list(messages, {
      by: 'byApplication',
      where: [['applicationId', '=', applicationId]],
      take: 2,
    }),
  ])
  return many(messages, found).some(({ row }) => row.type !== lastWord)
}
