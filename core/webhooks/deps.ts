import type { IssuerKeys } from '../keys/issuer-keys.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Limits } from '../ledger/limits.ts'
import type { Intake, Outcomes } from '../outbox/kind.ts'
import type { Clock } from '../ports/clock.ts'
import type { Sealer } from '../ports/secrets.ts'
import type { EgressGuard } from '../ports/transport.ts'

/** Dependencies of the room; `intake` and `outcomes` are the dispatcher's. */
export interface WebhookDeps {
  readonly ledger: Ledger
  readonly clock: Clock
  readonly egress: EgressGuard
  readonly sealer: Sealer
  readonly keys: IssuerKeys
  readonly intake: Intake
  readonly outcomes: Outcomes
  readonly limits: Pick<Limits, 'webhooksPerTenant'>
}
