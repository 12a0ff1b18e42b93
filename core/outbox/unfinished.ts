import type { Versioned } from '../base/ports/store.ts'
import type { UnitOfWork } from '../kernel/ledger/ledger.ts'
import { list, many } from '../kernel/ledger/reads.ts'
import { type Delivery, deliveries } from './records.ts'

/** Deliveries that one piece has. */
const piece = 200
const unfinished = ['pending', 'retry_scheduled'] as const

/** Where the next piece of an endpoint's unfinished deliveries begins. */
export interface UnfinishedCursor {
  readonly status: (typeof unfinished)[number]
  /** The last message of the piece before. */
  readonly after: string
}

export const firstUnfinished: UnfinishedCursor = { status: 'pending', after: '' }

/** A piece of the deliveries to an endpoint whose round runs, and where the next begins; null after the last. */
export async function unfinishedPiece(
  unit: Pick<UnitOfWork, 'read'>,
  endpointId: string,
  { status, after }: UnfinishedCursor,
): Promise<{
  readonly rows: readonly Versioned<Delivery>[]
  readonly next: UnfinishedCursor | null
}> {
  const [found] = await unit.read([
    list(deliveries, {
      where: [
        ['endpointId', '=', endpointId],
        ['status', '=', status],
        ['messageId', '>', after],
      ],
      by: 'byStatus',
      take: piece,
    }),
  ])
  const rows = many(deliveries, found)
  const last = rows.at(-1)
  if (last && rows.length === piece) return { rows, next: { status, after: last.row.messageId } }
  const other = unfinished[unfinished.indexOf(status) + 1]
  return { rows, next: other ? { status: other, after: '' } : null }
}
