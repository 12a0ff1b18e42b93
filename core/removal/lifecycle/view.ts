import type { PurgeState } from './records.ts'

/** A purge that failed five times; times are ISO 8601 UTC. */
export interface PoisonView {
  readonly messageId: string
  readonly tenantId: string
  readonly applicationId: string
  /** 1 to 6 (interface, Purge). */
  readonly step: number
  readonly attempts: number
  readonly lastError: string | null
  readonly firstFailedAt: string | null
  readonly state: PurgeState
}

/** The deletion of an organization, for staff; times are ISO 8601 UTC. */
export interface TenantDeletionView {
  readonly tenantId: string
  readonly state: 'active' | 'pending_deletion' | 'purging' | 'deleted'
  readonly requestedAt: string | null
  readonly purgeAt: string | null
  readonly applications: readonly {
    readonly applicationId: string
    readonly lifecycleState: string
  }[]
}
