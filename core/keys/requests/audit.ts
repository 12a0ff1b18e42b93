import type { ChangeSet } from '../../base/ports/store.ts'
import { audit } from '../../kernel/ledger/audit.ts'
import { isoTime } from '../../kernel/ledger/iso-time.ts'
import type { KeyRequest } from './records.ts'

/** Records the step that led to a request's status; reasons are free text, and stay in the request. */
export function auditRequest(
  unit: {
    audit(action: string, subject: string, detail: Detail, tenantId: string): void
  },
  request: KeyRequest,
): void {
  const { action, subject, detail } = entryOf(request)
  unit.audit(action, subject, detail, request.tenantId)
}

/** As `auditRequest`, by the actor named and as a part of a change set. */
export function requestEntry(
  request: KeyRequest,
  actor: string,
  now: number,
): NonNullable<ChangeSet['appends']>[number] {
  return audit(request.tenantId, { at: isoTime(now), actor, ...entryOf(request) })
}

type Detail = Parameters<typeof audit>[1]['detail']

function entryOf({ requestId, action, applicationId, keyId, type, status, failure }: KeyRequest) {
  return {
    action: `key_request.${status}`,
    subject: requestId,
    detail: { action, applicationId, keyId, type, ...(failure && { failure: failure.code }) },
  }
}
