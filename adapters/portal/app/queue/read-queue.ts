import type { QueuedCaseAnswer } from '@countersign/client'
import { api } from '../client/api.ts'
import { idleMinutes, type QueueFilter } from './filters.ts'

/** Rows of one read, and the most that are drawn. */
export const rowsOfLoad = 50
export const mostRows = 500

/** The beginning of the queue. */
export interface QueuePart {
  readonly rows: readonly QueuedCaseAnswer[]
  readonly totalCount: number
  readonly isWhole: boolean
}

/** Reads the first `loads` times 50 rows of the queue, by when they are due. */
export async function readQueue(
  filter: QueueFilter,
  loads: number,
  signal: AbortSignal,
): Promise<QueuePart> {
  const asked = queryFor(filter)
  const pages = await Promise.all(
    Array.from({ length: loads }, (_, place) =>
      Promise.resolve(
        api.portal.listQueue({ ...asked, page: place + 1, pageSize: rowsOfLoad }, { signal }),
      ),
    ),
  )
  // A row that moved between two pages may come twice.
  const rows = new Map(pages.flatMap(({ queue }) => queue).map((row) => [row.reviewCaseId, row]))
  const last = pages.at(-1)
  return {
    rows: [...rows.values()],
    totalCount: last?.totalCount ?? 0,
    isWhole: !(last?.hasMore ?? false),
  }
}

function queryFor({ view, tier, state, applicationId }: QueueFilter) {
  return {
    state: state ?? ('open' as const),
    tier,
    applicationId,
    ...(view === 'mine' && { assignee: 'me' }),
    ...(view === 'unassigned' && { assignee: 'none' }),
    ...(view === 'overdue' && { overdue: true }),
    ...(view === 'idle' && { idleMinutes }),
    ...(view === 'answered' && { assignee: 'me', followUp: 'answered' as const }),
  }
}
