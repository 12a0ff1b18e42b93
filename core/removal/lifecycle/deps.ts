import type { CancellationReason } from '../../base/events/review.ts'
import type { BlobStore } from '../../base/ports/blob-store.ts'
import type { Observer } from '../../base/ports/observer.ts'
import type { Ledger } from '../../kernel/ledger/ledger.ts'
import type { Post } from '../../kernel/mail/post.ts'
import type { Intake } from '../../outbox/kind.ts'

/** Dependencies of the room's use cases: the host's and those of other rooms. */
export interface LifecycleDeps {
  readonly ledger: Ledger
  readonly intake: Intake
  /** From the request of a deletion to its purge. */
  readonly deletionGraceMs: number
  /** Names of the staff that there is, for who verified an identity; absent: the host does not know. */
  readonly staffNames?: readonly string[]
  /** Tells the contact address of deletions that were asked for. */
  readonly post: Post
}

/** Dependencies of a purge. */
export interface PurgeDeps extends Pick<LifecycleDeps, 'ledger' | 'intake'> {
  readonly blobs: BlobStore
  readonly observer: Observer
  /** Makes removed and overwritten rows unreadable in the files of the store. */
  scrub(): Promise<void>
  /** Cancels a case by the system; a closed one stays as it is. */
  cancelCase(reviewCaseId: string, reason: CancellationReason): Promise<void>
}
