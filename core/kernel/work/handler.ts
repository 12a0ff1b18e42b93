import type { ChangeSet } from '../../base/ports/store.ts'
import type { UnitOfWork } from '../ledger/ledger.ts'
import type { WorkItem } from './records.ts'

/** What one run of an item does: its effect, and when it is due again; committed together or not at all. */
export interface WorkStep {
  readonly set?: Omit<ChangeSet, 'tenant'>
  /** Ms; a time in the past runs next, after the items that waited before it. Null removes the item. */
  readonly next: number | null
  /** Absent keeps what the item holds. */
  readonly state?: unknown
}

/**
 * Does the due work of one kind. `run` reads and decides in a unit of work of the item's tenant, and runs again on a
 * conflict: side effects beside its step must be idempotent. A run that throws is retried with backoff.
 */
export interface WorkHandler {
  readonly kind: string
  /** Items of the system that every store has: made where missing, due when a process starts or its clock is set back. */
  readonly permanent?: readonly string[]
  run(item: WorkItem, unit: UnitOfWork): Promise<WorkStep>
}
