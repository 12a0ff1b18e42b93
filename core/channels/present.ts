import { isoTime } from '../ledger/iso-time.ts'
import type { Sealer } from '../ports/secrets.ts'
import { type NotificationChannel, openUrl } from './records.ts'
import type { ChannelView } from './view.ts'

/** A channel as it is told. */
export function channelView(channel: NotificationChannel, sealer: Sealer): ChannelView {
  const { channelId, kind, eventTypes, enabled, state, lastError } = channel
  return {
    ...{ channelId, kind, webhookUrl: masked(openUrl(sealer, channel)), eventTypes, enabled },
    ...{ state, lastError },
    createdAt: isoTime(channel.createdAt),
    updatedAt: isoTime(channel.updatedAt),
  }
}

/** Stands for the secret part of a URL that is shown; no URL that is given may hold it. */
export const hidden = '…'

/** Characters of a URL's end that are shown, for recognition. */
const shownLength = 4

/** The origin and the end of a URL whose path is its secret. */
function masked(url: string): string {
  const { protocol, hostname, port, pathname, search } = new URL(url)
  const secret = `${pathname}${search}`
  const end = secret.length > 4 * shownLength ? secret.slice(-shownLength) : ''
  return `${protocol}//${hostname}${port === '' ? '' : `:${port}`}/${hidden}${end}`
}
