import type { EventType } from '../events/catalogue.ts'
import type { Sealer } from '../ports/secrets.ts'
import type { Collection } from '../ports/store.ts'
import type { SealedMembers } from '../sealing/sealed-members.ts'

/** Chat tools that a channel may lead to. */
export const channelKinds = ['slack', 'teams'] as const
/** The chat tool of a channel. */
export type ChannelKind = (typeof channelKinds)[number]

/** A chat channel; the URL is what lets anybody post there, so it is sealed. Times are ms. */
export interface NotificationChannel {
  readonly tenantId: string
  readonly channelId: string
  readonly kind: ChannelKind
  /** UTF-8, sealed under `channelContext`. */
  readonly webhookUrl: Uint8Array
  readonly eventTypes: readonly (EventType | '*')[]
  readonly enabled: boolean
  /** `turned_off` after a 410, until the URL is saved again. */
  readonly state: 'active' | 'turned_off'
  /** Of the last attempt; null after one that was delivered. */
  readonly lastError: string | null
  /** Raised when the URL, `enabled` or the state changes: what was owed before is no longer sent. */
  readonly generation: number
  readonly createdAt: number
  readonly updatedAt: number
}

export const notificationChannels: Collection<NotificationChannel> = {
  name: 'notificationChannels',
  key: ['tenantId', 'channelId'],
  columns: { tenantId: 'text', channelId: 'text' },
  indexes: { byId: ['channelId'] },
  tenant: 'tenantId',
  purge: { keep: 'belongs to the tenant' },
  retain: { bounded: 'so many per tenant' },
}

type Owner = Pick<NotificationChannel, 'tenantId' | 'channelId'>

/** The sealing context of a channel's URL. */
export function channelContext({ tenantId, channelId }: Owner): string {
  return JSON.stringify(['notification channel', tenantId, channelId])
}

export const sealedChannelUrls: SealedMembers<NotificationChannel> = {
  collection: notificationChannels,
  map: (channel, change) => ({
    ...channel,
    webhookUrl: change({ sealed: channel.webhookUrl }, channelContext(channel)),
  }),
}

const utf8 = new TextEncoder()
const fromUtf8 = new TextDecoder('utf-8', { fatal: true })

export function sealUrl(sealer: Sealer, owner: Owner, url: string): Uint8Array {
  return sealer.seal(utf8.encode(url), channelContext(owner))
}

export function openUrl(sealer: Sealer, channel: NotificationChannel): string {
  return fromUtf8.decode(sealer.open(channel.webhookUrl, channelContext(channel)))
}
