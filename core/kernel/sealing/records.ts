import type { Collection, Read } from '../../base/ports/store.ts'
import { get } from '../ledger/reads.ts'

/** The master keys under which values of this store may be sealed; one row. */
export interface SealingRecord {
  readonly id: 'master-key'
  /** A known text sealed under each master key in use; all must open before anything is served. */
  readonly checks: readonly Uint8Array[]
  /** The store held values before its first check, which may lie under keys that `checks` lacks. */
  readonly unverified: boolean
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
