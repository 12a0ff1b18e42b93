import type { EventType } from '../events/catalogue.ts'
import { get } from '../ledger/reads.ts'
import type { Read } from '../ports/store.ts'
import { routings } from './records.ts'

/** An event that a decision yields: its id is the body's id. */
export interface Outgoing {
  readonly id: string
  readonly type: EventType
  readonly applicationId: string | null
  readonly body: Uint8Array
}

/** The read whose answer `publish` needs, from the same attempt. */
export function routingOf(tenantId: string): Read {
  return get(routings, [tenantId])
}
