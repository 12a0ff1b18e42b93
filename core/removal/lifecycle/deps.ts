import type { CancellationReason } from '../../base/events/review.ts'
import type { BlobStore } from '../../base/ports/blob-store.ts'
import type { Observer } from '../../base/ports/observer.ts'
import type { Intake } from '../../outbox/kind.ts'

/** Dependencies of a purge. */
export interface PurgeDeps {
  readonly intake: Intake
  readonly blobs: BlobStore
  readonly observer: Observer
  /** Makes removed and overwritten rows unreadable in the files of the store. */
  scrub(): Promise<void>
  /** Cancels a case by the system; a closed one stays as it is. */
  cancelCase(reviewCaseId: string, reason: CancellationReason): Promise<void>
}
