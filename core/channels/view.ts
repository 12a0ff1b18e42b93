import type { EventType } from '../events/catalogue.ts'
import type { ChannelKind } from './records.ts'

/** A chat channel to create. */
export interface ChannelInput {
  readonly kind: ChannelKind
  /** https; shown masked afterwards. */
  readonly webhookUrl: string
  readonly eventTypes: readonly string[]
  /** Default true. */
  readonly enabled?: boolean
}

/** A chat channel as it is returned; times are ISO 8601 UTC. */
export interface ChannelView {
  readonly channelId: string
  readonly kind: ChannelKind
  /** The host and the last four characters. */
  readonly webhookUrl: string
  readonly eventTypes: readonly (EventType | '*')[]
  readonly enabled: boolean
  /** `turned_off` after a 410, until the URL is saved again. */
  readonly state: 'active' | 'turned_off'
  /** Of the last attempt; null after one that was delivered. */
  readonly lastError: string | null
  readonly createdAt: string
  readonly updatedAt: string
}

/** What became of a test message. */
export interface ChannelTestView {
  readonly outcome: 'delivered' | 'failed'
  readonly responseStatus: number | null
  readonly error: string | null
}
