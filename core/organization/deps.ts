import type { Ledger } from '../ledger/ledger.ts'
import type { Clock } from '../ports/clock.ts'

/** What this room needs of the host. */
export interface OrganizationDeps {
  readonly ledger: Ledger
  readonly clock: Clock
}
