import type { BlobStore } from '../../base/ports/blob-store.ts'
import type { Cipher } from '../../base/ports/cipher.ts'
import type { Random } from '../../base/ports/random.ts'
import type { ChangeSet } from '../../base/ports/store.ts'
import type { Vault } from '../../content/vault/vault.ts'
import type { Ledger, UnitOfWork } from '../../kernel/ledger/ledger.ts'
import type { Intake } from '../../outbox/kind.ts'
import type { EvidenceSigner } from '../../proof/sign.ts'
import type { ReviewHost } from '../../review/deps.ts'
import type { SessionShare } from './their-steps.ts'

/** Personal data that a room holds of a session beside the session itself. */
export interface SessionPart {
  /** Which count of a certificate it adds to. */
  readonly counts: 'annotations' | null
  /** A bounded piece that makes a subject's share of it unreadable; null when nothing is left to do. */
  erase(unit: UnitOfWork, share: SessionShare): Promise<PartChange | null>
}

/** The session that a part belongs to. */
export interface PartOwner {
  readonly tenantId: string
  readonly applicationId: string
  readonly sessionId: string
}

/** A bounded piece of the change, and how many things it concerns. */
export interface PartChange {
  readonly set: Pick<ChangeSet, 'puts' | 'removes' | 'checks'>
  readonly count: number
}

/** What an application has beside its sessions that may hold a subject's data: archives. */
export interface ApplicationPart {
  readonly name: string
  /** Removes what holds data of these applications; runs again until it answers null. */
  remove(
    unit: UnitOfWork,
    owner: { readonly tenantId: string; readonly applicationIds: readonly string[] },
  ): Promise<PartChange | null>
}

/** Dependencies of the room: the host's and those of other rooms. */
export interface ErasureDeps extends ReviewHost {
  readonly ledger: Ledger
  readonly blobs: BlobStore
  readonly vault: Vault
  readonly cipher: Cipher
  readonly random: Random
  readonly intake: Intake
  /** The portal API's base URL without a slash at its end. */
  readonly portalUrl: string
  readonly sessionParts: readonly SessionPart[]
  readonly applicationParts: readonly ApplicationPart[]
  /** Makes removed and overwritten rows unreadable in the files of the store. */
  scrub(): Promise<void>
  /** The tenant's evidence key. */
  evidenceSigner(tenantId: string): Promise<EvidenceSigner>
}
