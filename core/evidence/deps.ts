import type { BlobStore } from '../base/ports/blob-store.ts'
import type { Clock } from '../base/ports/clock.ts'
import type { Sealer } from '../base/ports/secrets.ts'
import type { Vault } from '../content/vault/vault.ts'
import type { Ledger } from '../kernel/ledger/ledger.ts'
import type { EvidenceSigners } from './keys/evidence-keys.ts'
import type { DocumentRenderer } from './outputs.ts'

/** What documents of sessions are made with. */
export interface EvidenceDeps {
  readonly ledger: Ledger
  readonly clock: Clock
  readonly sealer: Sealer
  readonly vault: Vault
  readonly blobs: BlobStore
  readonly signers: EvidenceSigners
  /** Lets others run between slices of a large document. */
  readonly pause: () => Promise<void>
  /** The ingest API's base URL, without a slash at its end; case URLs begin with it. */
  readonly ingestUrl: string
  /** Absent where the host prints nothing. */
  readonly renderer?: DocumentRenderer
}
