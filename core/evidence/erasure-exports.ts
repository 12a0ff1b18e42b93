import { erasureCertificate } from '../erasure/requests.ts'
import { ok } from '../ledger/refusal.ts'
import type { EvidenceDeps } from './deps.ts'
import { notPrinted } from './session-exports.ts'
import type { EvidenceUseCases } from './use-cases.ts'

/** The printed forms of what erasures left. */
export function createErasureExports(
  deps: Pick<EvidenceDeps, 'ledger' | 'renderer'>,
): Pick<EvidenceUseCases, 'erasureCertificatePdf'> {
  const read = erasureCertificate(deps)
  return {
    async erasureCertificatePdf(actor, erasureRequestId) {
      const found = await read(actor, erasureRequestId)
      if (!found.ok) return found
      if (!deps.renderer) return notPrinted()
      const document = found.value
      const bytes = await deps.renderer.pdf({ kind: 'erasure-certificate', document })
      return ok({ fileName: `${erasureRequestId}-certificate.pdf`, bytes })
    },
  }
}
