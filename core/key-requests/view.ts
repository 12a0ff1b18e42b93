import type { CustomerKeyType } from '../access/actor.ts'
import type { ExecutionFailure, KeyRequestAction, KeyRequestStatus } from './records.ts'

/** What came of an execution; times are ISO 8601 UTC. */
export interface KeyRequestResult {
  /** Of the key that was issued, which exists once its value is revealed, or that was revoked. */
  readonly keyId: string | null
  /** Until when its requester may be shown the value. */
  readonly revealUntil: string | null
  readonly revealedAt: string | null
  /** Why the last execution failed. */
  readonly failure: ExecutionFailure | null
}

/** A key request as it is shown to the organization; times are ISO 8601 UTC. */
export interface KeyRequestView {
  readonly id: string
  readonly action: KeyRequestAction
  readonly applicationId: string | null
  /** Of the key to issue. */
  readonly type: CustomerKeyType | null
  /** Of the key to revoke. */
  readonly keyId: string | null
  readonly status: KeyRequestStatus
  readonly requestedBy: string
  readonly requestedAt: string
  readonly executedBy: string | null
  readonly executedAt: string | null
  readonly reason: string
  readonly staffReason: string | null
  /** Null until an execution ended. */
  readonly result: KeyRequestResult | null
}

/** A key request as staff sees it. */
export interface StaffKeyRequestView extends KeyRequestView {
  readonly tenantId: string
}

/** What is asked for; which members there must be depends on the action. */
export interface KeyRequestInput {
  readonly applicationId?: string
  readonly type?: CustomerKeyType
  readonly keyId?: string
  readonly reason: string
}
