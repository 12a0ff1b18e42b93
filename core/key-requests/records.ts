import type { CustomerKeyType } from '../access/actor.ts'
import { get } from '../ledger/reads.ts'
import type { Collection, Read } from '../ports/store.ts'

/** What can be asked of staff (interface, Key request). */
export const keyRequestActions = [
  'issue-customer-key',
  'issue-secondary-key',
  'revoke-key',
  'rotate-tenant-key',
] as const
/** One of `keyRequestActions`. */
export type KeyRequestAction = (typeof keyRequestActions)[number]

/** States of a key request. */
export const keyRequestStatuses = [
  'submitted',
  'approved',
  'executing',
  'executed',
  'failed',
  'rejected',
  'cancelled',
] as const
/** One of `keyRequestStatuses`. */
export type KeyRequestStatus = (typeof keyRequestStatuses)[number]

/** A refusal that ended an execution. */
export interface ExecutionFailure {
  readonly code: string
  readonly detail: string
}

/** Days that a request stays once it ended; the audit log keeps what was done. */
export const endedKeyRequestDays = 90

/** What an admin asks of staff. */
export interface KeyRequest {
  readonly tenantId: string
  readonly requestId: string
  readonly action: KeyRequestAction
  /** Of the key to issue, or of the key to revoke. */
  readonly applicationId: string | null
  /** Of the key to issue. */
  readonly type: CustomerKeyType | null
  /** Of the key to revoke. */
  readonly keyId: string | null
  /** The application, the key, or empty, and the type or empty: a unique rule takes no null. */
  readonly target: string
  readonly targetType: string
  readonly status: KeyRequestStatus
  /** 1 while it is submitted, approved or executing, then 0. */
  readonly open: 0 | 1
  /** Ms: when it ended; null while it is open. */
  readonly endedAt: number | null
  /** As in the audit log. */
  readonly requestedBy: string
  readonly requestedAt: number
  /** The requester's. */
  readonly reason: string
  /** Who let it execute, as in the audit log. */
  readonly executedBy: string | null
  readonly executedAt: number | null
  /** What staff said at its last step. */
  readonly staffReason: string | null
  /** The id that the key to issue will have. */
  readonly issuedKeyId: string | null
  readonly revealUntil: number | null
  /** When its requester was shown the value, which was made then. */
  readonly revealedAt: number | null
  /** Of the tenant's encryption key, under which everything will lie. */
  readonly rotatesTo: number | null
  readonly failure: ExecutionFailure | null
}

export const keyRequests: Collection<KeyRequest> = {
  name: 'keyRequests',
  key: ['requestId'],
  columns: {
    requestId: 'text',
    tenantId: 'text',
    applicationId: 'text',
    action: 'text',
    target: 'text',
    targetType: 'text',
    status: 'text',
    open: 'int',
    endedAt: 'int',
  },
  indexes: {
    byTenant: ['tenantId'],
    byApplication: ['applicationId'],
    byAge: ['endedAt'],
    byStatus: ['status'],
    byTarget: ['tenantId', 'action', 'target', 'targetType', 'open'],
  },
  unique: {
    open: {
      on: ['tenantId', 'action', 'target', 'targetType'],
      when: { column: 'open', is: 1 },
    },
  },
  tenant: 'tenantId',
  purge: { application: 'applicationId', step: 'configuration' },
  retain: { by: 'endedAt', days: endedKeyRequestDays },
}

/** The read of a key request. */
export function keyRequestOf(requestId: string): Read {
  return get(keyRequests, [requestId])
}
