import type { BlobStore } from '../base/ports/blob-store.ts'
import type { Clock } from '../base/ports/clock.ts'
import type { Scorer } from '../base/ports/scorer.ts'
import type { Sealer } from '../base/ports/secrets.ts'
import type { Vault } from '../content/vault/vault.ts'
import type { Ledger } from '../kernel/ledger/ledger.ts'
import type { Intake } from '../outbox/kind.ts'

/** Dependencies of the room: the host's and those of other rooms. */
export interface IngestDeps {
  readonly ledger: Ledger
  readonly clock: Clock
  readonly intake: Intake
  readonly sealer: Sealer
  /** Default `default-1`. */
  readonly scorer?: Scorer
  readonly vault: Vault
  readonly blobs: BlobStore
  /** SHA-256, of up to 16 MiB in one call. */
  readonly sha256: (bytes: Uint8Array) => Uint8Array
  readonly pause: () => Promise<void>
  /** The ingest API's base URL, without a slash at its end; case URLs begin with it. */
  readonly ingestUrl: string
}
