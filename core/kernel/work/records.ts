import type { Collection, Put, Versioned } from '../../base/ports/store.ts'
import { put } from '../ledger/reads.ts'

/** Something to be done at a time: a deadline, a sweep, a cursor that moves in bounded pieces. */
export interface WorkItem {
  /** The lane, and which handler does it. */
  readonly kind: string
  /** What it is about: a case, a webhook; unique within its kind. */
  readonly ref: string
  /** Null for work of the system itself. */
  readonly tenantId: string | null
  readonly applicationId: string | null
  /** Ms; a claim moves it to the end of its lease. */
  readonly due: number
  /** Tries since the last run that went well, lost ones included. */
  readonly claims: number
  /** What the handler keeps between its runs; plain data. */
  readonly state: unknown
}

export const workItems: Collection<WorkItem> = {
  name: 'workItems',
  key: ['kind', 'ref'],
  columns: {
    kind: 'text',
    ref: 'text',
    tenantId: 'text',
    applicationId: 'text',
    due: 'int',
    claims: 'int',
  },
  indexes: { byApplication: ['applicationId'] },
  queue: { lane: 'kind', due: 'due', claims: 'claims' },
  tenant: 'tenantId',
  purge: { application: 'applicationId' },
  retain: { bounded: 'one per thing that is under way' },
}

/** The put that schedules an item, new (`was` null) or at another time. */
export function schedule(
  item: Omit<WorkItem, 'claims' | 'state'> & { readonly state?: unknown },
  was: Versioned<WorkItem> | null = null,
): Put {
  return put(workItems, { ...item, state: item.state ?? null, claims: 0 }, was)
}
