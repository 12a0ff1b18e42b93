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

/** Removes the application's rows of one collection, or other data that names it, piece by piece. */
export interface PurgePart {
  /** The name of its collection, or of the data that it removes. */
  readonly name: string
  remove(unit: UnitOfWork, owner: PurgeOwner, after: Key | null): Promise<PurgePiece>
  /** A read that finds a row while any is left to remove; null for a part that may leave rows that have not ended. */
  left(owner: PurgeOwner): Read | null
}
