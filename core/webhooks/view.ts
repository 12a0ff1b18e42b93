import type { EventType, Family } from '../events/catalogue.ts'
import type { AttemptTrigger, DeliveryStatus } from '../outbox/records.ts'
import type { StatusReason } from './records.ts'

/** A webhook as it is returned; times are ISO 8601 UTC. */
export interface WebhookView {
  readonly id: string
  readonly url: string
  readonly eventTypes: readonly (EventType | '*')[]
  readonly description: string | null
  readonly status: 'receiving' | 'turned_off'
  readonly statusReason: StatusReason | null
  readonly turnedOffAt: string | null
  readonly signing: {
    readonly method: 'ed25519' | 'shared_secret'
    readonly keyVersion: number
    /** `whpk_…` of the tenant's signing key; null for a shared secret. */
    readonly publicKey: string | null
    /** The tenant's coming key and when it begins to sign; null outside a rotation and for a shared secret. */
    readonly nextPublicKey: string | null
    readonly nextSignsFrom: string | null
    readonly hasSecret: boolean
    readonly previousSecretValidUntil: string | null
    /** There only in the answer that created or rotated it. */
    readonly secret?: string
  }
  readonly verification: {
    readonly state: 'pending' | 'verified' | 'failed'
    readonly requestedAt: string
    readonly verifiedAt: string | null
  }
  readonly createdAt: string
  readonly updatedAt: string
}

export interface SigningChoice {
  readonly method?: 'ed25519' | 'shared_secret' | undefined
  /** Alone it selects `shared_secret`, with which it signs both families: a `whsec_…`; refused with `ed25519`. */
  readonly secret?: string | null | undefined
}

/** A webhook to create. */
export interface CreateWebhook {
  readonly url: string
  readonly eventTypes: readonly string[]
  readonly description?: string | null
  /** Absent: `ed25519`. A shared secret that is not given is made. */
  readonly signing?: SigningChoice
  /** The legacy family's, which leaves the method; both with different values are refused. */
  readonly secret?: string | null
}

/** Absent members keep what is there; a secret that is null removes it, a string rotates it. */
export interface UpdateWebhook {
  readonly url?: string
  readonly eventTypes?: readonly string[]
  readonly description?: string | null
  readonly signing?: SigningChoice
  /** The legacy family's, which leaves the method; both with different values are refused. */
  readonly secret?: string | null
}

/** One attempt, as the delivery log shows it. */
export interface DeliveryLogEntry {
  readonly attemptId: string
  readonly deliveryId: string
  readonly eventId: string
  readonly eventType: string
  readonly family: Family
  readonly attempt: number
  readonly trigger: AttemptTrigger
  readonly startedAt: string
  readonly latencyMs: number
  readonly outcome: 'delivered' | 'failed'
  readonly error: string | null
  readonly requestHeaders: Readonly<Record<string, string>>
  readonly requestBody: string
  readonly responseStatus: number | null
  readonly responseHeaders: Readonly<Record<string, string>> | null
  readonly responseBody: string | null
  readonly truncated: boolean
}

/** An event that a webhook was owed, and what became of its delivery. */
export interface ReviewEventEntry {
  readonly event: Readonly<Record<string, unknown>>
  readonly deliveryStatus: DeliveryStatus
  readonly deliveredAt: string | null
}

/** The recovery read (interface, Recovery read). */
export interface ReviewEventHistory {
  readonly subscriptionId: string
  readonly events: readonly ReviewEventEntry[]
  readonly totalCount: number
  readonly page: number
  readonly pageSize: number
  readonly hasMore: boolean
}

/** What became of each event that a replay or a recovery named. */
export interface ReplayResult {
  readonly results: readonly {
    readonly eventId: string
    readonly result: 'replayed' | 'already_delivered' | 'in_progress'
  }[]
}

/** By what a recovery selects: the time of the event, or when its delivery was given up. */
export const recoverBy = ['event', 'given_up'] as const
/** What a recovery's span of time is compared with. */
export type RecoverBy = (typeof recoverBy)[number]

/** A recovery: what it selected, and what became of it. */
export interface RecoverResult extends ReplayResult {
  readonly selected: {
    readonly by: RecoverBy
    readonly from: string
    readonly until: string
    /** Null: every type. */
    readonly types: readonly string[] | null
  }
}
