import type { Clock } from '../base/ports/clock.ts'
import type { Sealer } from '../base/ports/secrets.ts'
import type { EgressGuard } from '../base/ports/transport.ts'
import type { Limits } from '../kernel/ledger/limits.ts'
import type { IssuerKeys } from '../keys/issuer-keys.ts'
import type { Intake, Outcomes } from '../outbox/kind.ts'
import type { TestTurns } from '../outbox/test-turns.ts'

/** What the room is opened with; `intake` and `outcomes` are the dispatcher's. */
export interface WebhookTools {
  readonly clock: Clock
  readonly egress: EgressGuard
  readonly sealer: Sealer
  readonly keys: IssuerKeys
  readonly intake: Intake
  readonly outcomes: Outcomes
  readonly testTurns: TestTurns
  readonly limits: Pick<Limits, 'webhooksPerTenant'>
}
