import type { Read } from '../../base/ports/store.ts'
import { longest } from '../../kernel/ledger/limits.ts'
import { get } from '../../kernel/ledger/reads.ts'
import { listOf, showAll } from '../../kernel/members.ts'
import { count } from '../../kernel/page.ts'
import type { SealedMembers } from '../../kernel/sealing/sealed-members.ts'
import { line, type OutsOf, oneOf, type RowsOf, stored, text, time } from '../../kernel/shape.ts'
import { table } from '../../kernel/table.ts'
import { digest } from '../../kernel/usual.ts'

/** Who a package is for. */
export const packTypes = ['bulk', 'auditor', 'subject'] as const
/** One of `packTypes`. */
export type PackType = (typeof packTypes)[number]

const file = {
  packageId: line(longest.id),
  packType: oneOf(packTypes),
  fileName: line(longest.name),
  mediaType: line(longest.name),
  /** Of the archive in clear text. */
  bytes: count,
  /** Of the archive in clear text. */
  sha256: digest,
  sessionCount: count,
  createdAt: time,
  expiresAt: time,
}
const origin = {
  /** Applications that it has data of. */
  applicationIds: listOf(line(longest.id)),
  /** A member's id. */
  createdBy: line(longest.id),
}

/** The members of a package that members of the organization are shown. */
export const shownPackage = { ...file, downloadUrl: text(longest.url), ...origin }

/** Archives whose sealed copies lie in the blob store. */
export const evidencePackages = table({
  name: 'evidencePackages',
  members: {
    tenantId: line(longest.id),
    ...file,
    ...origin,
    /** 1 for those that only admins are shown, else 0. */
    forAdmins: stored<0 | 1>('int'),
    /** The 32-byte key of the copy, sealed for this package. */
    key: stored<Uint8Array>(),
  },
  key: ['tenantId', 'packageId'],
  indexes: { byAudience: ['tenantId', 'forAdmins'] },
  tenant: 'tenantId',
  purge: { part: 'packages' },
  retain: { work: 'evidence.package' },
  // Without its key the copy is noise.
  shred: true,
})
/** One of `evidencePackages`. */
export interface EvidencePackage extends RowsOf<typeof evidencePackages.members> {}
/** A package as it is returned. */
export interface PackageView extends OutsOf<typeof shownPackage> {}

/** A package as callers get it; its event has the same members but the last two. */
export function packageView(row: EvidencePackage, portalUrl: string): PackageView {
  const downloadUrl = `${portalUrl}/v1/evidence-packages/${row.packageId}/download`
  return showAll(shownPackage, { ...row, downloadUrl })
}

/** What remains of packages that have expired, for those who ask for them. */
export const expiredPackages = table({
  name: 'expiredPackages',
  members: {
    tenantId: line(longest.id),
    packageId: line(longest.id),
    forAdmins: stored<0 | 1>('int'),
    expiredAt: time,
  },
  key: ['tenantId', 'packageId'],
  indexes: { byAge: ['expiredAt'] },
  tenant: 'tenantId',
  purge: { keep: 'says only that a package was there' },
  retain: { by: 'expiredAt', days: 30 },
})

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
