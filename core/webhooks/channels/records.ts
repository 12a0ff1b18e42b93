import type { Sealer } from '../../base/ports/secrets.ts'
import { longest } from '../../kernel/ledger/limits.ts'
import { object } from '../../kernel/members.ts'
import type { SealedMembers } from '../../kernel/sealing/sealed-members.ts'
import {
  flag,
  type InsOf,
  line,
  type OutsOf,
  oneOf,
  type RowsOf,
  type Shape,
  stored,
  text,
  time,
} from '../../kernel/shape.ts'
import { table } from '../../kernel/table.ts'
import { fromOne } from '../../kernel/usual.ts'
import { checked, orNull, usual } from '../../kernel/wrap.ts'
import { selection } from '../selection.ts'

/** Chat tools that a channel may lead to. */
export const channelKinds = ['slack', 'teams'] as const
/** The chat tool of a channel. */
export type ChannelKind = (typeof channelKinds)[number]

/** Replaces the secret part of a URL in answers; no URL in a request may contain it. */
const hidden = '…'

/** The members that the owner of a channel sets. */
export const channelDefinition = {
  kind: oneOf(channelKinds),
  /** https; shown masked afterwards. */
  webhookUrl: checked(text(longest.url), (url) =>
    url.includes(hidden) || url.includes(encodeURI(hidden))
      ? `expected the whole URL, got the one that is shown with ${hidden}`
      : null,
  ),
  eventTypes: selection('catalogue'),
  enabled: usual(flag, true),
}

/** The members that readers of a channel see. */
export const shownChannel = {
  channelId: line(longest.id),
  ...channelDefinition,
  /** `turned_off` after a 410, until the URL is saved again. */
  state: oneOf(['active', 'turned_off']),
  /** Of the last attempt; null after one that was delivered. */
  lastError: orNull(text(longest.detail)),
  createdAt: time,
  updatedAt: time,
}

/** Chat channels; the URL is what lets anybody post there, so it is sealed. */
export const notificationChannels = table({
  name: 'notificationChannels',
  members: {
    tenantId: line(longest.id),
    ...shownChannel,
    /** UTF-8, sealed under `channelContext`. */
    webhookUrl: stored<Uint8Array>(),
    /** Raised when the URL, `enabled` or the state changes: what was owed before is no longer sent. */
    generation: fromOne,
  },
  key: ['tenantId', 'channelId'],
  indexes: { byId: ['channelId'] },
  tenant: 'tenantId',
  purge: { keep: 'belongs to the tenant' },
  retain: { bounded: 'so many per tenant' },
})

/** A chat channel. */
export interface NotificationChannel extends RowsOf<typeof notificationChannels.members> {}
/** A chat channel to create. */
export interface ChannelInput extends InsOf<typeof channelDefinition> {}
/** A chat channel as it is returned: of its URL the host and the last four characters. */
export interface ChannelView extends OutsOf<typeof shownChannel> {}

/** The answer that is one channel. */
export const channelShape: Shape<
  RowsOf<typeof shownChannel>,
  InsOf<typeof shownChannel>,
  ChannelView
> = object(shownChannel, 'NotificationChannel')

type Owner = Pick<NotificationChannel, 'tenantId' | 'channelId'>

/** The sealing context of a channel's URL. */
export function channelContext({ tenantId, channelId }: Owner): string {
  return JSON.stringify(['notification channel', tenantId, channelId])
}

export const sealedChannelUrls: SealedMembers<NotificationChannel> = {
  collection: notificationChannels,
  map: (channel, change) => ({
    ...channel,
    webhookUrl: change(channel.webhookUrl, channelContext(channel)),
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

/** Characters of a URL's end that are shown, for recognition. */
const shownLength = 4

/** The origin and the end of a URL whose path is its secret. */
export function masked(url: string): string {
  const { protocol, hostname, port, pathname, search } = new URL(url)
  const secret = `${pathname}${search}`
  const end = secret.length > 4 * shownLength ? secret.slice(-shownLength) : ''
  return `${protocol}//${hostname}${port === '' ? '' : `:${port}`}/${hidden}${end}`
}
