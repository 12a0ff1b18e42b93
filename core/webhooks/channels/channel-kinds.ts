import { applicationOf } from '../../applications/load.ts'
import { applications } from '../../applications/records.ts'
import type { Sealer } from '../../base/ports/secrets.ts'
import type { Read } from '../../base/ports/store.ts'
import { givenUp } from '../../content/activity/records.ts'
import { checkFeature } from '../../kernel/callers/plans.ts'
import { audit } from '../../kernel/ledger/audit.ts'
import { isoTime } from '../../kernel/ledger/iso-time.ts'
import type { Ledger, UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { get, list, many, one, put } from '../../kernel/ledger/reads.ts'
import { type Tenant, tenants } from '../../organizations/access/records.ts'
import { describeFailure } from '../../outbox/answer.ts'
import type { Endpoint, Kind, Parts, SettledAttempt } from '../../outbox/kind.ts'
import { routings } from '../records.ts'
import { routingOf } from '../routing/fan-out.ts'
import { chatMessage } from './chat-message.ts'
import { channelKinds, type NotificationChannel, notificationChannels, openUrl } from './records.ts'
import { routedAgain } from './route-channel.ts'

interface Deps {
  readonly ledger: Ledger
  readonly sealer: Sealer
  /** The portal's base URL, which links lead to. */
  readonly portalUrl: string
}

/**
 * A chat channel as the outbox sends to it, while the plan includes chats (decision 110); its messages name the
 * organization (interface, Chat channels).
 */
interface ChatEndpoint extends Endpoint {
  readonly organizationName: string
}

/** The outbox kinds of chat channels: each renders the event's stored bytes as its tool takes them. */
export function createChannelKinds({ ledger, sealer, portalUrl }: Deps): readonly Kind[] {
  return channelKinds.map((name) => ({
    name,
    watches: [notificationChannels.name, tenants.name],
    endpoints: async (ids) => {
      const found = await ledger.read(null, ids.map(channelById))
      const rows = found.flatMap((answer) => many(notificationChannels, answer))
      const owners = await ownersOf(
        ledger,
        rows.map(({ row }) => row.tenantId),
      )
      return new Map(
        rows.map(({ row }) => [row.channelId, endpointOf(row, owners.get(row.tenantId), sealer)]),
      )
    },
    open: ({ body }, endpoint) => {
      const { organizationName } = endpoint as ChatEndpoint
      return chatMessage(name, body, { organizationName, portalUrl })
    },
    entails: (settled) => settled.answer !== null || isLost(settled),
    consequences,
  }))
}

/** The channel's state after an attempt, and the count of messages that were given up. */
async function consequences(settled: SettledAttempt, unit: UnitOfWork): Promise<Parts> {
  const { endpointId, tenantId, applicationId } = settled.before
  const [found, routed, applied] = await unit.read([
    channelById(endpointId),
    routingOf(tenantId),
    ...(applicationId === null ? [] : [applicationOf(tenantId, applicationId)]),
  ])
  const was = one(notificationChannels, found)
  if (!was) return {}
  const lost = isLost(settled)
    ? givenUp(unit, settled.before, one(applications, applied))
    : { puts: [], checks: [] }
  const after = settledChannel(was.row, settled, unit.now)
  if (!after) return lost
  const puts = [...lost.puts, put(notificationChannels, after, was)]
  if (after.state === was.row.state) return { puts, checks: lost.checks }
  const routing = one(routings, routed)
  const route = routedAgain(routing, tenantId, was.row, after)
  return {
    puts: route ? [...puts, put(routings, route, routing)] : puts,
    checks: lost.checks,
    ...goneEntry(after, unit.now),
  }
}

/** Whether the last attempt to deliver a selected event failed while its channel still received. */
function isLost({ before, after, answer, endpoint }: SettledAttempt): boolean {
  if (after.status !== 'dead_lettered' || before.trigger === 'test') return false
  return answer !== null || endpoint?.admits(before) === true
}

function channelById(channelId: string): Read {
  return list(notificationChannels, {
    by: 'byId',
    where: [['channelId', '=', channelId]],
    take: 1,
  })
}

/** Organizations by id, as they are now. */
async function ownersOf(
  ledger: Ledger,
  tenantIds: readonly string[],
): Promise<ReadonlyMap<string, Tenant>> {
  const found = await ledger.read(
    null,
    [...new Set(tenantIds)].map((tenantId) => get(tenants, [tenantId])),
  )
  return new Map(
    found.flatMap((answer) => many(tenants, answer).map(({ row }) => [row.tenantId, row] as const)),
  )
}

function endpointOf(
  channel: NotificationChannel,
  owner: Tenant | undefined,
  sealer: Sealer,
): ChatEndpoint {
  const { channelId, tenantId, enabled, state, generation } = channel
  const receives = enabled && state === 'active' && checkFeature(owner, 'notificationChannels').ok
  return {
    endpointId: channelId,
    tenantId,
    organizationName: owner?.name ?? '',
    url: openUrl(sealer, channel),
    sign: () => ({ 'content-type': 'application/json' }),
    admits: (delivery) => receives && delivery.generation === generation,
  }
}

/** The channel after an attempt; null where nothing changes, or the channel was saved during the attempt. */
function settledChannel(
  channel: NotificationChannel,
  { before, answer }: SettledAttempt,
  now: number,
): NotificationChannel | null {
  if (!answer || before.generation !== channel.generation) return null
  const lastError = describeFailure(answer)
  if (answer.kind === 'answer' && answer.status === 410) {
    const generation = channel.generation + 1
    return { ...channel, state: 'turned_off', lastError, generation, updatedAt: now }
  }
  return lastError === channel.lastError ? null : { ...channel, lastError }
}

function goneEntry({ tenantId, channelId }: NotificationChannel, now: number): Parts {
  const entry = {
    at: isoTime(now),
    actor: 'system',
    action: 'notification_channel.turned_off',
    subject: channelId,
    detail: { reason: 'endpoint_gone' },
  }
  return { appends: [audit(tenantId, entry)] }
}
