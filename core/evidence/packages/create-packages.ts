import { createAuditorExport } from '../auditor/export-auditor.ts'
import { createSubjectExports } from '../subject/export-subject.ts'
import type { EvidenceUseCases } from '../use-cases.ts'
import { createBulkExport } from './bulk-export.ts'
import type { PackageDeps } from './deps.ts'
import { createPackageReads } from './read-packages.ts'

/** Exports as archives, and packages that were made. */
export function createPackages(
  deps: PackageDeps,
): Pick<
  EvidenceUseCases,
  | 'bulkExport'
  | 'auditorPack'
  | 'subjectPack'
  | 'subjectReport'
  | 'listPackages'
  | 'readPackage'
  | 'downloadPackage'
> {
  return {
    ...createBulkExport(deps),
    ...createAuditorExport(deps),
    ...createSubjectExports(deps),
    ...createPackageReads(deps),
  }
}
