import type { Key, Versioned } from '../../base/ports/store.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { pageAfter } from '../../kernel/ledger/pages.ts'
import { list, many, put } from '../../kernel/ledger/reads.ts'
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

/** What tells of the purge itself, and so outlives it. */
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
    const page = await pageOf(unit, owner, after)
    const some = page.filter(({ row }) => row.type !== lastWord)
    const owedOf = await deliveriesOf(unit, some)
    const removes = some.flatMap((message) => {
      const owed = owedOf.get(message.row.messageId) ?? []
      const ended = owed.filter(({ row }) => hasEnded(row))
      return [
        ...ended.map(({ row: { endpointId, messageId }, version }) => ({
          in: deliveries.name,
          key: [endpointId, messageId] as const,
          version,
        })),
        ...(ended.length === owed.length ? [removalOf(message)] : []),
      ]
    })
    const last = page.at(-1)
    return {
      set: { removes },
      removed: removes.length,
      after: last && page.length === piece ? [last.row.messageId] : null,
    }
  },
  left: () => null,
}

function pageOf(
  unit: UnitOfWork,
  { applicationId }: PurgeOwner,
  after: Key | null,
): Promise<readonly Versioned<Message>[]> {
  return pageAfter(unit, messages, {
    by: 'byApplication',
    where: [['applicationId', '=', applicationId]],
    after,
    take: piece,
  })
}

function removalOf({ row: { messageId }, version }: Versioned<Message>) {
  return { in: messages.name, key: [messageId] as const, version }
}

function hasEnded({ status }: Delivery): boolean {
  return status === 'delivered' || status === 'dead_lettered'
}

/** Ended deliveries whose message is gone, or was written before messages named their endpoints. */
const deliveriesPart: PurgePart = {
  name: deliveries.name,
  async remove(unit, { applicationId }, after) {
    const page = await pageAfter(unit, deliveries, {
      by: 'byApplication',
      where: [['applicationId', '=', applicationId]],
      after,
      take: piece,
    })
    const removes = page
      .filter(({ row }) => row.type !== lastWord && hasEnded(row))
      .map(({ row: { endpointId, messageId }, version }) => ({
        in: deliveries.name,
        key: [endpointId, messageId] as const,
        version,
      }))
    const last = page.at(-1)
    return {
      set: { removes },
      removed: removes.length,
      after: last && page.length === piece ? [last.row.endpointId, last.row.messageId] : null,
    }
  },
  left: () => null,
}

const attemptsPart: PurgePart = {
  name: attempts.name,
  async remove(unit, { applicationId }, after) {
    const page = await pageAfter(unit, attempts, {
      by: 'byApplication',
      where: [['applicationId', '=', applicationId]],
      after,
      take: piece,
    })
    const removes = page
      .filter(({ row }) => row.type !== lastWord)
      .map(({ row: { endpointId, attemptId }, version }) => ({
        in: attempts.name,
        key: [endpointId, attemptId] as const,
        version,
      }))
    const last = page.at(-1)
    return {
      set: { removes },
      removed: removes.length,
      after: last && page.length === piece ? [last.row.endpointId, last.row.attemptId] : null,
    }
  },
  left: () => null,
}

/** What the outbox holds of an application. */
export const deliveryParts: readonly PurgePart[] = [
  callbacksPart,
  messagesPart,
  deliveriesPart,
  attemptsPart,
]

/** Whether the outbox still holds anything of an application but what tells of its purge. */
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
