import type { ChangeSet, Key, Read } from '../../base/ports/store.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'

/** The application that is purged. */
export interface PurgeOwner {
  readonly tenantId: string
  readonly applicationId: string
}

/** A bounded piece of a purge. */
export interface PurgePiece {
  readonly set: Pick<ChangeSet, 'puts' | 'removes' | 'checks'>
  /** Rows of the application that the piece removes. */
  readonly removed: number
  /** The last key that it looked at; null when the part is done. */
  readonly after: Key | null
}

/** What removes one kind of thing that names the application. */
export interface PurgePart {
  /** Of its collection, or of what it takes care of. */
  readonly name: string
  remove(unit: UnitOfWork, owner: PurgeOwner, after: Key | null): Promise<PurgePiece>
  /** A read that finds something as long as anything is left; null for a part that may leave what has not ended. */
  left(owner: PurgeOwner): Read | null
}
