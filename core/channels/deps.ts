import type { Ledger } from '../ledger/ledger.ts'
import type { Intake, Outcomes } from '../outbox/kind.ts'
import type { Sealer } from '../ports/secrets.ts'
import type { EgressGuard } from '../ports/transport.ts'

/** Dependencies of the room; `intake` and `outcomes` are the dispatcher's. */
export interface ChannelDeps {
  readonly ledger: Ledger
  readonly sealer: Sealer
  readonly egress: EgressGuard
  readonly intake: Intake
  readonly outcomes: Outcomes
}
