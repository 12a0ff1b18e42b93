import type { EventType } from '../events/catalogue.ts'
import type { Collection } from '../ports/store.ts'
import type { SealedSecret } from '../sealing/shared-secret.ts'

export type StatusReason = 'endpoint_gone' | 'retries_exhausted' | 'owner'

/** A window in which nothing was sent; `until` is null while it lasts. */
export interface MissedWindow {
  readonly from: number
  readonly until: number | null
  /** The events_missed that reports it, one for good; null before the webhook receives again. */
  readonly messageId: string | null
  /** The webhook's generation under which that was last owed: one owed under an earlier was ended unsent. */
  readonly owedUnder: number | null
}

/** A webhook as it is stored; secrets are sealed. */
export interface Webhook {
  readonly webhookId: string
  readonly tenantId: string
  readonly url: string
  readonly eventTypes: readonly (EventType | '*')[]
  readonly description: string | null
  readonly status: 'receiving' | 'turned_off'
  readonly statusReason: StatusReason | null
  readonly turnedOffAt: number | null
  /** URLs of this webhook that answered 410, normalized: refused for good; beyond `goneUrlsPerWebhook` it takes no other. */
  readonly goneUrls: readonly string[]
  /** Rises with each turn-off: what was owed under an earlier one is no longer sent. */
  readonly generation: number
  readonly method: 'ed25519' | 'shared_secret'
  readonly secret: SealedSecret | null
  readonly previousSecret: SealedSecret | null
  readonly keyVersion: number
  readonly verification: {
    readonly state: 'pending' | 'verified' | 'failed'
    readonly requestedAt: number
    readonly verifiedAt: number | null
    readonly challenge: string
    /** The message that carries the challenge. */
    readonly messageId: string
  }
  /** Windows of which no events_missed was delivered yet, oldest first. */
  readonly unreported: readonly MissedWindow[]
  readonly createdAt: number
  readonly updatedAt: number
}

export const webhooks: Collection<Webhook> = {
  name: 'webhooks',
  key: ['webhookId'],
  columns: { webhookId: 'text', tenantId: 'text', status: 'text' },
  indexes: { byTenant: ['tenantId', 'webhookId'] },
  tenant: 'tenantId',
  purge: { keep: 'belongs to the tenant' },
  retain: { bounded: 'so many per tenant' },
}

/** What fan-out must know of one webhook. */
export interface Route {
  readonly webhookId: string
  readonly receiving: boolean
  readonly generation: number
  readonly eventTypes: readonly (EventType | '*')[]
}

/** What fan-out must know of one chat channel. */
export interface ChannelRoute {
  readonly channelId: string
  readonly kind: 'slack' | 'teams'
  readonly generation: number
  readonly eventTypes: readonly (EventType | '*')[]
}

/**
 * One row a tenant, written with every change of its webhooks and checked by every commit that owes events: so
 * each event lies, by order of commits, clearly before or after a turn-off.
 */
export interface Routing {
  readonly tenantId: string
  readonly routes: readonly Route[]
  /** Chat channels that receive. */
  readonly channels: readonly ChannelRoute[]
  /** Events committed under this row are not timed before it, as far as the clock allows; turn-offs and turn-ons raise it. */
  readonly changedAt: number
  /** While a webhook is off: no event committed so far is timed at or after it, so that the window may end here. */
  readonly horizon: number
  /** While a webhook is off and the clock was set back: no missed event is timed before it, so that windows begin here. */
  readonly floor: number | null
  /** The latest mark of a switch that this row or its webhooks may hold, also one that a clock which ran ahead made. */
  readonly latestMark: number
}

export const routings: Collection<Routing> = {
  name: 'routings',
  key: ['tenantId'],
  columns: { tenantId: 'text', latestMark: 'int' },
  indexes: { byLatestMark: ['latestMark', 'tenantId'] },
  tenant: 'tenantId',
  purge: { keep: 'belongs to the tenant' },
  retain: { bounded: 'one per tenant' },
}
