import type { Ledger, UnitOfWork } from '../ledger/ledger.ts'
import type { Clock } from '../ports/clock.ts'
import type { Random } from '../ports/random.ts'
import type { Sealer } from '../ports/secrets.ts'
import type { Put } from '../ports/store.ts'
import type { EgressGuard } from '../ports/transport.ts'
import type { Application } from './records.ts'

/** Dependencies of the room: the host's and those of other rooms. */
export interface ApplicationDeps {
  readonly ledger: Ledger
  readonly clock: Clock
  readonly random: Random
  readonly sealer: Sealer
  readonly egress: EgressGuard
  /** The tenant's public signing key (`whpk_…`); makes its first where it has none. */
  readonly publicKeyOf: (tenantId: string) => Promise<string>
  /** Schedules the giving up of what an application's outcome callback, which is removed, still owes. */
  readonly endCallbacks: (unit: UnitOfWork, application: Application) => Promise<Put>
}
