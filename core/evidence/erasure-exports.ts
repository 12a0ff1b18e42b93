import type { Method } from '../kernel/facade.ts'
import { ok } from '../kernel/ledger/refusal.ts'
import type { readErasureCertificate } from '../removal/erasure/requests.ts'
import type { EvidenceDeps } from './deps.ts'
import { notPrinted, printFile } from './print/print-file.ts'
import type { EvidenceUseCases } from './use-cases.ts'

/** The printed forms of what erasures left. */
export function createErasureExports(
  deps: Pick<EvidenceDeps, 'renderer'>,
  read: Method<typeof readErasureCertificate>,
): Pick<EvidenceUseCases, 'erasureCertificatePdf'> {
  return {
    async erasureCertificatePdf(actor, erasureRequestId, caller) {
      const found = await read(actor, { erasureRequestId })
      if (!found.ok) return found
      if (!deps.renderer) return notPrinted()
      const fileName = `${erasureRequestId}-certificate.pdf`
      const printable = { kind: 'erasure-certificate', document: found.value } as const
      return printFile(deps.renderer, { fileName, make: async () => ok(printable) }, caller)
    },
  }
}
