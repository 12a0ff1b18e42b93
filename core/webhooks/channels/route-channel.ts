import type { Versioned } from '../../base/ports/store.ts'
import type { ChannelRoute, Routing } from '../records.ts'
import { emptyRouting } from '../routing/event-time.ts'
import type { NotificationChannel } from './records.ts'

/**
 * The tenant's routing row after a change of one channel; null where fan-out does not see it. A channel that comes or
 * goes always changes it: it is the one row of the set of channels.
 */
export function routedAgain(
  routing: Versioned<Routing> | null,
  tenantId: string,
  before: NotificationChannel | null,
  after: NotificationChannel | null,
): Routing | null {
  const old = routing?.row ?? emptyRouting(tenantId)
  const [was, is] = [before && routeOf(before), after && routeOf(after)]
  const isOfSet = before === null || after === null
  if (!isOfSet && JSON.stringify(was) === JSON.stringify(is)) return null
  const channelId = (after ?? before)?.channelId
  const others = old.channels.filter((each) => each.channelId !== channelId)
  return { ...old, channels: is ? [...others, is] : others }
}

/** Null for a channel that receives nothing. */
function routeOf(channel: NotificationChannel): ChannelRoute | null {
  const { channelId, kind, generation, eventTypes, enabled, state } = channel
  return enabled && state === 'active' ? { channelId, kind, generation, eventTypes } : null
}
