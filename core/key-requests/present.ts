import { memberIdOf } from '../access/actor.ts'
import { isoTime, isoTimeOrNull } from '../ledger/iso-time.ts'
import type { KeyRequest } from './records.ts'
import type { KeyRequestResult, KeyRequestView, StaffKeyRequestView } from './view.ts'

export function keyRequestView(request: KeyRequest): KeyRequestView {
  return {
    id: request.requestId,
    action: request.action,
    applicationId: request.applicationId,
    type: request.type,
    keyId: request.keyId,
    status: request.status,
    requestedBy: memberIdOf(request.requestedBy),
    requestedAt: isoTime(request.requestedAt),
    executedBy: request.executedBy,
    executedAt: isoTimeOrNull(request.executedAt),
    reason: request.reason,
    staffReason: request.staffReason,
    result: resultOf(request),
  }
}

function resultOf(request: KeyRequest): KeyRequestResult | null {
  const { status, issuedKeyId, keyId, revealUntil, revealedAt, failure } = request
  if (status !== 'executed' && status !== 'failed') return null
  return {
    keyId: issuedKeyId ?? (status === 'executed' ? keyId : null),
    revealUntil: isoTimeOrNull(revealUntil),
    revealedAt: isoTimeOrNull(revealedAt),
    failure,
  }
}

export function staffKeyRequestView(request: KeyRequest): StaffKeyRequestView {
  return { tenantId: request.tenantId, ...keyRequestView(request) }
}
