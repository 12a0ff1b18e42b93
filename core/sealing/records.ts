import { get } from '../ledger/reads.ts'
import type { Collection, Read } from '../ports/store.ts'

/** The master keys under which values of this store may be sealed; one row. */
export interface SealingRecord {
  readonly id: 'master-key'
  /** A known text sealed under each master key in use; all must open before anything is served. */
  readonly checks: readonly Uint8Array[]
  /** Values may be stored in clear text that a version before this one did not seal. */
  readonly clear: boolean
}

export const sealingRecords: Collection<SealingRecord> = {
  name: 'sealing',
  key: ['id'],
  columns: { id: 'text' },
  indexes: {},
  tenant: 'system',
  purge: { keep: 'belongs to the store' },
  retain: { bounded: 'one per store' },
}

export function sealingRecord(): Read {
  return get(sealingRecords, ['master-key'])
}
