import { memberIdOf } from '../access/actor.ts'
import { isoTime, isoTimeOrNull } from '../ledger/iso-time.ts'
import type { ErasureRequest, LegalHold } from './records.ts'
import type { ErasureView, HoldView } from './view.ts'

/** Where a completed erasure's certificate is read. */
export function certificateUrlOf(portalUrl: string, erasureRequestId: string): string {
  return `${portalUrl}/v1/gdpr/erasure-requests/${erasureRequestId}/certificate`
}

export function erasureView(request: ErasureRequest, portalUrl: string): ErasureView {
  const { erasureRequestId, completedAt } = request
  return {
    erasureRequestId,
    dataSubjectId: request.dataSubjectId,
    applicationId: request.applicationId,
    reason: request.reason,
    status: request.status,
    waitingFor: request.waitingFor,
    requestedBy: memberIdOf(request.requestedBy),
    requestedAt: isoTime(request.requestedAt),
    completedAt: isoTimeOrNull(completedAt),
    counts: completedAt === null ? null : request.counts,
    certificateUrl: completedAt === null ? null : certificateUrlOf(portalUrl, erasureRequestId),
  }
}

export function holdView(hold: LegalHold): HoldView {
  return {
    holdId: hold.holdId,
    dataSubjectId: hold.dataSubjectId,
    applicationId: hold.applicationId,
    matter: hold.matter,
    placedBy: memberIdOf(hold.placedBy),
    placedAt: isoTime(hold.placedAt),
    releasedAt: isoTimeOrNull(hold.releasedAt),
    releasedBy: hold.releasedBy && memberIdOf(hold.releasedBy),
    releaseReason: hold.releaseReason,
  }
}
