import type { Ledger } from '../ledger/ledger.ts'
import type { TenantKeyRing } from '../privacy/tenant-keys.ts'

/** Dependencies of the room. */
export interface KeyRequestDeps {
  readonly ledger: Ledger
  /** Makes the tenants' encryption keys. */
  readonly ring: TenantKeyRing
}
