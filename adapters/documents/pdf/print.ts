import type { Printable } from '@countersign/core/evidence'
import { accessReport } from './access-report.ts'
import { erasureCertificate, sessionCertificate } from './certificates.ts'
import { dossier, dossierInParts, isLong } from './dossier.ts'
import { printedInParts } from './in-parts.ts'
import { printed, type Sheet } from './page.ts'
import { type Reduced, withoutUnprinted } from './without-unprinted.ts'

/** A document as PDF, on the calling thread. */
export function print(printable: Printable): Promise<Uint8Array> {
  const reduced = withoutUnprinted(printable)
  return reduced.kind === 'printed-evidence' && isLong(reduced.document)
    ? printedInParts(dossierInParts(reduced.document))
    : printed(sheetOf(reduced))
}

function sheetOf(printable: Reduced): Sheet {
  switch (printable.kind) {
    case 'printed-evidence':
      return dossier(printable.document)
    case 'session-certificate':
      return sessionCertificate(printable.document)
    case 'erasure-certificate':
      return erasureCertificate(printable.document)
    case 'access-report':
      return accessReport(printable.document)
  }
}
