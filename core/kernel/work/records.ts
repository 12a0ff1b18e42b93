import type { Collection, Found, Put, Read, Versioned } from '../../base/ports/store.ts'
import { get, one, put } from '../ledger/reads.ts'

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

/** An item to schedule. */
type Scheduled = Omit<WorkItem, 'claims' | 'state'> & { readonly state?: unknown }

/** The put that schedules an item, new (`was` null) or at another time. */
export function schedule(item: Scheduled, was: Versioned<WorkItem> | null = null): Put {
  return put(workItems, { ...item, state: item.state ?? null, claims: 0 }, was)
}

/** Schedules an item from a unit of work, whatever it was due for. Without an application it stays when one is purged. */
export function workAt({
  applicationId = null,
  ...item
}: Omit<Scheduled, 'applicationId'> & { readonly applicationId?: string | null }): {
  readonly item: Read
  readonly schedule: (now: number, found: Found | undefined) => Put
} {
  return {
    item: get(workItems, [item.kind, item.ref]),
    schedule: (_, found) => schedule({ ...item, applicationId }, one(workItems, found)),
  }
}
