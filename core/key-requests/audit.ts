import { audit } from '../ledger/audit.ts'
import { isoTime } from '../ledger/iso-time.ts'
import type { ChangeSet } from '../ports/store.ts'
import type { KeyRequest } from './records.ts'

/** The audit entry of the step that led to a request's status; reasons are free text, and stay in the request. */
export function requestEntry(
  request: KeyRequest,
  actor: string,
  now: number,
): NonNullable<ChangeSet['appends']>[number] {
  const { tenantId, requestId, action, applicationId, keyId, type, status, failure } = request
  return audit(tenantId, {
    at: isoTime(now),
    actor,
    action: `key_request.${status}`,
    subject: requestId,
    detail: { action, applicationId, keyId, type, ...(failure && { failure: failure.code }) },
  })
}
