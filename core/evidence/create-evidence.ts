import type { Method } from '../kernel/facade.ts'
import { ok } from '../kernel/ledger/refusal.ts'
import type { readErasureCertificate } from '../removal/erasure/requests.ts'
import type { EvidenceDeps, PackageDeps } from './deps.ts'
import type { EvidenceExports, PackageExports } from './exports.ts'
import { createDownload } from './packages/download.ts'
import { createApplicationExports } from './packages/export-applications.ts'
import { notPrinted, printFile } from './print/print-file.ts'
import { createSessionExports } from './session-exports.ts'
import { createSubjectExports } from './subject/export-subject.ts'

/** Evidence of sessions and erasures. `certificateOf`: reads an erasure's certificate. */
export function createEvidence(
  deps: EvidenceDeps,
  certificateOf: Method<typeof readErasureCertificate>,
): EvidenceExports {
  const { renderer } = deps
  return {
    ...createSessionExports(deps),
    async erasureCertificatePdf(actor, input, caller) {
      const found = await certificateOf(actor, input)
      if (!found.ok) return found
      if (!renderer) return notPrinted()
      const fileName = `${input.erasureRequestId}-certificate.pdf`
      const printable = { kind: 'erasure-certificate', document: found.value } as const
      return printFile(renderer, { fileName, make: async () => ok(printable) }, caller)
    },
  }
}

/** Exports as archives, and the copies of those that were made. */
export function createPackages(deps: PackageDeps): PackageExports {
  return {
    ...createApplicationExports(deps),
    ...createSubjectExports(deps),
    download: createDownload(deps),
  }
}
