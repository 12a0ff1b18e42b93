import { put } from '../ledger/reads.ts'
import type { Put, Versioned } from '../ports/store.ts'
import { type ChannelRoute, type Routing, routings } from '../webhooks/records.ts'
import { emptyRouting } from '../webhooks/routing/event-time.ts'
import type { NotificationChannel } from './records.ts'

/**
 * The put of the tenant's routing row that goes with a change of one channel; none where fan-out does not see it. A
 * channel that comes or goes always writes it: it is the one row of the set of channels.
 */
export function routedAgain(
  routing: Versioned<Routing> | null,
  tenantId: string,
  before: NotificationChannel | null,
  after: NotificationChannel | null,
): readonly Put[] {
  const old = routing?.row ?? emptyRouting(tenantId)
  const [was, is] = [before && routeOf(before), after && routeOf(after)]
  const isOfSet = before === null || after === null
  if (!isOfSet && JSON.stringify(was) === JSON.stringify(is)) return []
  const channelId = (after ?? before)?.channelId
  const others = (old.channels ?? []).filter((each) => each.channelId !== channelId)
  return [put(routings, { ...old, channels: is ? [...others, is] : others }, routing)]
}

/** Null for a channel that hears nothing. */
function routeOf(channel: NotificationChannel): ChannelRoute | null {
  const { channelId, kind, generation, eventTypes, enabled, state } = channel
  return enabled && state === 'active' ? { channelId, kind, generation, eventTypes } : null
}
