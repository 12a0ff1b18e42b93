import type { Versioned } from '../base/ports/store.ts'
import type { Delivery, DeliveryStatus } from './records.ts'

export interface StatusView {
  /** Ms. */
  readonly now: number
  /** Whether the endpoint still wants what it is owed, as its `admits` says; absent: it does. */
  readonly admits?: (delivery: Delivery) => boolean
}

/**
 * The status as readers see it. `delivering` is a live lease; an expired one is a retry that is due; what the
 * endpoint no longer admits is dead-lettered, written down or not (core/docs/decisions.md 3 and 4).
 */
export function statusOf(found: Versioned<Delivery>, view: StatusView): DeliveryStatus {
  const { row, leasedBy } = found
  if (row.status === 'delivered' || row.status === 'dead_lettered') return row.status
  const leased = leasedBy !== null && row.due !== null
  if (leased && row.due > view.now) return 'delivering'
  if (view.admits && !view.admits(row)) return 'dead_lettered'
  return leased ? 'retry_scheduled' : row.status
}
