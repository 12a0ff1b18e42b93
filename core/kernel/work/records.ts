import type { Found, Put, Read, Versioned } from '../../base/ports/store.ts'
import { longest } from '../ledger/limits.ts'
import { get, one, put } from '../ledger/reads.ts'
import { count } from '../page.ts'
import { anything, line, type RowsOf, stored, time } from '../shape.ts'
import { table } from '../table.ts'
import { orNull } from '../wrap.ts'

const id = line(longest.id)

/** What is to be done at a time: a deadline, a sweep, a cursor that moves in bounded pieces. */
export const workItems = table({
  name: 'workItems',
  members: {
    /** The lane, and which handler does it. */
    kind: id,
    /** What it is about: a case, a webhook; unique within its kind. */
    ref: stored<string>('text'),
    /** Null for work of the system itself. */
    tenantId: orNull(id),
    applicationId: orNull(id),
    /** A claim moves it to the end of its lease. */
    due: time,
    /** Tries since the last run that went well, lost ones included. */
    claims: count,
    /** What the handler keeps between its runs; plain data. */
    state: anything,
  },
  key: ['kind', 'ref'],
  indexes: { byApplication: ['applicationId'] },
  queue: { lane: 'kind', due: 'due', claims: 'claims' },
  tenant: 'tenantId',
  purge: { application: 'applicationId' },
  retain: { bounded: 'one per thing that is under way' },
})

/** Something to be done at a time. */
export interface WorkItem extends RowsOf<typeof workItems.members> {}

/** An item to schedule. */
type Scheduled = Omit<WorkItem, 'claims' | 'state'> & { readonly state?: unknown }

/** The put that schedules an item, new (`was` null) or at another time. */
export function schedule(item: Scheduled, was: Versioned<WorkItem> | null = null): Put {
  return put(workItems, { ...item, state: item.state ?? null, claims: 0 }, was)
}

/** Schedules an item from a unit of work, whatever its due time was. Without `applicationId` it outlives purges. */
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
