import type { IssuerKeys } from '../keys/issuer-keys.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Intake } from '../outbox/kind.ts'
import type { Sealer } from '../ports/secrets.ts'
import type { Primitives } from '../signing/primitives.ts'

/** What a decision on a case needs of the host, once the store has been read. */
export interface ReviewHost {
  /** The ingest API's base URL, without a slash at its end; case URLs begin with it. */
  readonly ingestUrl: string
  readonly intake: Intake
  readonly sealer: Sealer
}

/** Dependencies of the room: the host's and those of other rooms. */
export interface ReviewDeps extends ReviewHost {
  readonly ledger: Ledger
}

/** Dependencies of the callback kind. */
export interface CallbackDeps extends ReviewDeps {
  readonly keys: Pick<IssuerKeys, 'signers'>
  readonly primitives: Primitives
}
