import type { Read } from '../../base/ports/store.ts'
import { get } from '../ledger/reads.ts'
import { flag, oneOf, type RowsOf, stored } from '../shape.ts'
import { table } from '../table.ts'

/** The master keys under which values of this store may be sealed; one row. */
export const sealingRecords = table({
  name: 'sealing',
  members: {
    id: oneOf(['master-key']),
    /** A known text sealed under each master key in use; all must open before anything is served. */
    checks: stored<readonly Uint8Array[]>(),
    /** The store held values before its first check, which may lie under keys that `checks` lacks. */
    unverified: flag,
  },
  key: ['id'],
  indexes: {},
  tenant: 'system',
  purge: { keep: 'belongs to the store' },
  retain: { bounded: 'one per store' },
})
/** The row of the master keys. */
export interface SealingRecord extends RowsOf<typeof sealingRecords.members> {}

export function sealingRecord(): Read {
  return get(sealingRecords, ['master-key'])
}
