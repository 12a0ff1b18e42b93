import { isoTime } from '../../kernel/ledger/iso-time.ts'
import type { PackageView } from '../use-cases.ts'
import type { EvidencePackage } from './records.ts'

/** A package as it is told; its event has the same members but the last two. */
export function packageView(row: EvidencePackage, portalUrl: string): PackageView {
  return {
    packageId: row.packageId,
    packType: row.packType,
    fileName: row.fileName,
    mediaType: row.mediaType,
    bytes: row.bytes,
    sha256: row.sha256,
    sessionCount: row.sessionCount,
    createdAt: isoTime(row.createdAt),
    expiresAt: isoTime(row.expiresAt),
    downloadUrl: `${portalUrl}/v1/evidence-packages/${row.packageId}/download`,
    applicationIds: row.applicationIds,
    createdBy: row.createdBy,
  }
}
