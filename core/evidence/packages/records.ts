import type { Collection, Read } from '../../base/ports/store.ts'
import { get } from '../../kernel/ledger/reads.ts'
import type { SealedMembers } from '../../kernel/sealing/sealed-members.ts'

/** Who a package is for. */
export type PackType = 'bulk' | 'auditor' | 'subject'

/** An archive whose sealed copy lies in the blob store; times are ms. */
export interface EvidencePackage {
  readonly tenantId: string
  readonly packageId: string
  readonly packType: PackType
  /** 1 for those that only admins are shown, else 0. */
  readonly forAdmins: 0 | 1
  /** Applications that it has data of. */
  readonly applicationIds: readonly string[]
  readonly fileName: string
  readonly mediaType: string
  /** Of the archive in clear text. */
  readonly bytes: number
  /** Hex, of the archive in clear text. */
  readonly sha256: string
  readonly sessionCount: number
  /** A member's id. */
  readonly createdBy: string
  readonly createdAt: number
  readonly expiresAt: number
  /** The 32-byte key of the copy, sealed for this package. */
  readonly key: Uint8Array
}

export const evidencePackages: Collection<EvidencePackage> = {
  name: 'evidencePackages',
  key: ['tenantId', 'packageId'],
  columns: { tenantId: 'text', packageId: 'text', forAdmins: 'int' },
  indexes: { byAudience: ['tenantId', 'forAdmins'] },
  tenant: 'tenantId',
  purge: { part: 'packages' },
  retain: { work: 'evidence.package' },
  // Without its key the copy is noise.
  shred: true,
}

/** What is left of a package that has expired, for those who ask for it. */
export interface ExpiredPackage
  extends Pick<EvidencePackage, 'tenantId' | 'packageId' | 'forAdmins'> {
  readonly expiredAt: number
}

export const expiredPackages: Collection<ExpiredPackage> = {
  name: 'expiredPackages',
  key: ['tenantId', 'packageId'],
  columns: { tenantId: 'text', packageId: 'text', expiredAt: 'int' },
  indexes: { byAge: ['expiredAt'] },
  tenant: 'tenantId',
  purge: { keep: 'says only that a package was there' },
  retain: { by: 'expiredAt', days: 30 },
}

export function packageOf(tenantId: string, packageId: string): Read {
  return get(evidencePackages, [tenantId, packageId])
}

/** The path of a package's sealed copy. */
export function packagePath({
  tenantId,
  packageId,
}: Pick<EvidencePackage, 'tenantId' | 'packageId'>): string {
  return `tenants/${tenantId}/packages/${packageId}`
}

/** The context of a package's sealed key. */
export function packageKeyContext(tenantId: string, packageId: string): string {
  return JSON.stringify(['evidence package', tenantId, packageId])
}

export const sealedPackageKeys: SealedMembers<EvidencePackage> = {
  collection: evidencePackages,
  map: (row, change) => ({
    ...row,
    key: change(row.key, packageKeyContext(row.tenantId, row.packageId)),
  }),
}
