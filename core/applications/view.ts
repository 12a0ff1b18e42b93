/** Life of an application; anything but `active` takes no data. */
export type LifecycleState = 'active' | 'pending_deletion' | 'purging' | 'purged'

/** The stages of an application, in their order. */
export const applicationStages = ['development', 'staging', 'production'] as const
/** How far an application has come, as its owner says. */
export type ApplicationStage = (typeof applicationStages)[number]

/** How an application, or an organization, does. */
export const healthStatuses = ['healthy', 'degraded', 'unhealthy', 'unknown'] as const
/** How an application, or an organization, does. */
export type HealthStatus = (typeof healthStatuses)[number]

/** An application's health; `since` is ISO 8601 UTC. */
export interface HealthView {
  readonly status: HealthStatus
  readonly since: string
}

/** Thresholds of an application's scores, 0 to 100; null where there is none. */
export interface ApplicationSettingsView {
  /** A governance score that falls below it is told by `governance.threshold_breached`. */
  readonly governanceThreshold: number | null
  /** A session whose quality is below it gets a flag. */
  readonly qualityThreshold: number | null
}

/** What callers give of an application. */
export interface ApplicationInput {
  readonly name?: string
  /** Null removes it. */
  readonly description?: string | null
  readonly stage?: ApplicationStage
  /** Null removes all; a member that is null is removed, an absent one keeps. */
  readonly settings?: Partial<ApplicationSettingsView> | null
}

/** Where an application's outcomes go, and with what they are signed. */
export interface OutcomeCallbackView {
  readonly url: string
  readonly enabled: boolean
  readonly signing: {
    readonly method: 'ed25519' | 'shared_secret'
    readonly publicKey: string | null
    readonly hasSecret: boolean
    /** Until when the secret before it signs too; null outside a rotation. */
    readonly previousSecretValidUntil: string | null
    /** There only in the answer that made it. */
    readonly secret?: string
  }
  /** The endpoint answered 410; the URL must be saved again before a replay. */
  readonly gone: boolean
  readonly updatedAt: string
}

/** A deletion that was asked for and can be cancelled until the purge begins. */
export interface DeletionView {
  readonly requestedAt: string
  readonly requestedBy: string
  /** When the grace period ends. */
  readonly purgeAt: string
  /** A legal hold keeps the purge from beginning. */
  readonly blockedByHold: boolean
}

/** An application as it is returned, until it is purged; times are ISO 8601 UTC. */
export interface ApplicationView {
  readonly applicationId: string
  readonly name: string
  readonly description: string | null
  readonly stage: ApplicationStage
  readonly lifecycleState: Exclude<LifecycleState, 'purged'>
  /** From 1; raised by each change of what is shown here. */
  readonly version: number
  readonly createdAt: string
  readonly updatedAt: string
  /** When its stage was last raised. */
  readonly promotedAt: string | null
  /** From the request until the purge is done. */
  readonly deletion: DeletionView | null
  readonly purgedAt: null
  /** Null while it is being deleted. */
  readonly health: HealthView | null
  /** Null where no threshold is set. */
  readonly settings: ApplicationSettingsView | null
  readonly outcomeCallback: OutcomeCallbackView | null
}

/** What stays of a purged application: all else is null. */
export type TombstoneView = {
  readonly [M in Exclude<
    keyof ApplicationView,
    'applicationId' | 'lifecycleState' | 'purgedAt'
  >]: null
} & {
  readonly applicationId: string
  readonly lifecycleState: 'purged'
  readonly purgedAt: string
}
