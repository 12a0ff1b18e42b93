import type { Printable } from '@countersign/core/evidence'
import { accessReport } from './access-report.ts'
import { erasureCertificate, sessionCertificate } from './certificates.ts'
import { dossier } from './dossier.ts'
import { printed, type Sheet } from './page.ts'

/** A document as PDF, on the calling thread. */
export function print(printable: Printable): Promise<Uint8Array> {
  return printed(sheetOf(printable))
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
