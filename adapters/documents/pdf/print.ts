import type { Printable } from '@countersign/core/evidence'
import { accessReport } from './access-report.ts'
import { erasureCertificate, sessionCertificate } from './certificates.ts'
import { dossier, dossierInParts, isLong } from './dossier.ts'
import { printedInParts } from './in-parts.ts'
import { printed, type Sheet } from './page.ts'

/** A document as PDF, on the calling thread. */
export function print(printable: Printable): Promise<Uint8Array> {
  return printable.kind === 'evidence' && isLong(printable.document)
    ? printedInParts(dossierInParts(printable.document))
    : printed(sheetOf(printable))
}

function sheetOf(printable: Printable): Sheet {
  switch (printable.kind) {
    case 'evidence':
      return dossier(printable.document)
    case 'session-certificate':
      return sessionCertificate(printable.document)
    case 'erasure-certificate':
      return erasureCertificate(printable.document)
    case 'access-report':
      return accessReport(printable.document)
  }
}
