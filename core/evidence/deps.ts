import type { BlobStore } from '../base/ports/blob-store.ts'
import type { Cipher } from '../base/ports/cipher.ts'
import type { Clock } from '../base/ports/clock.ts'
import type { Observer } from '../base/ports/observer.ts'
import type { Random } from '../base/ports/random.ts'
import type { Sealer } from '../base/ports/secrets.ts'
import type { Vault } from '../content/vault/vault.ts'
import type { Ledger } from '../kernel/ledger/ledger.ts'
import type { KernelPorts } from '../kernel/ports.ts'
import type { EvidenceSigners } from './keys/evidence-keys.ts'
import type { Archives, DocumentRenderer } from './outputs.ts'

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

/** What packages are made with. */
export interface PackageDeps extends EvidenceDeps {
  readonly kernel: KernelPorts
  readonly cipher: Cipher
  readonly random: Random
  readonly observer: Observer
  /** The portal API's base URL, without a slash at its end; download URLs begin with it. */
  readonly portalUrl: string
  /** Absent where the host makes no archives. */
  readonly archives?: Archives
}
