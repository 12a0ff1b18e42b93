import { actorName } from '../access/actor.ts'
import { authorizeMember } from '../access/authorize.ts'
import { executeAs } from '../access/execute-as.ts'
import { type EventType, selectableTypes } from '../events/catalogue.ts'
import { audit } from '../ledger/audit.ts'
import { checkEndpointUrl } from '../ledger/endpoint-url.ts'
import { refuseErrors, wrong } from '../ledger/input-errors.ts'
import { isoTime } from '../ledger/iso-time.ts'
import { answer, commit, refusal } from '../ledger/ledger.ts'
import { most } from '../ledger/limits.ts'
import { checkPage, pageOf } from '../ledger/page.ts'
import { get, list, many, one, put } from '../ledger/reads.ts'
import { ok, type Result, refuse } from '../ledger/refusal.ts'
import type { Versioned } from '../ports/store.ts'
import type { EgressGuard } from '../ports/transport.ts'
import { type Routing, routings } from '../webhooks/records.ts'
import { routingCheck, routingOf } from '../webhooks/routing/fan-out.ts'
import type { ChannelDeps } from './deps.ts'
import { checkPlan, existingChannel } from './load.ts'
import { channelView, hidden } from './present.ts'
import { type NotificationChannel, notificationChannels, openUrl, sealUrl } from './records.ts'
import { routedAgain } from './route-channel.ts'
import { createChannelTest } from './send-test.ts'
import type { ChannelUseCases } from './use-cases.ts'
import type { ChannelView } from './view.ts'

/** Everything that members do with chat channels. */
export function createChannels(deps: ChannelDeps): ChannelUseCases {
  return {
    list: listChannels(deps),
    read: readChannel(deps),
    create: createChannel(deps),
    update: updateChannel(deps),
    remove: removeChannel(deps),
    test: createChannelTest(deps),
  }
}

function listChannels({ ledger, sealer }: ChannelDeps): ChannelUseCases['list'] {
  return async (actor, query) => {
    const member = authorizeMember(actor, 'readChannels')
    if (!member.ok) return member
    const paging = checkPage(query)
    if (!paging.ok) return paging
    const { tenantId } = member.value
    const [found] = await ledger.read(tenantId, [
      list(notificationChannels, {
        where: [['tenantId', '=', tenantId]],
        skip: (query.page - 1) * query.pageSize,
        take: query.pageSize,
        count: true,
      }),
    ])
    const items = many(notificationChannels, found).map(({ row }) => channelView(row, sealer))
    return ok(pageOf(items, found?.total ?? 0, query))
  }
}

function readChannel({ ledger, sealer }: ChannelDeps): ChannelUseCases['read'] {
  return async (actor, channelId) => {
    const member = authorizeMember(actor, 'readChannels')
    if (!member.ok) return member
    const { tenantId } = member.value
    const [found] = await ledger.read(tenantId, [get(notificationChannels, [tenantId, channelId])])
    const channel = existingChannel(found)
    return channel.ok ? ok(channelView(channel.value.row, sealer)) : channel
  }
}

function createChannel({ ledger, sealer, egress }: ChannelDeps): ChannelUseCases['create'] {
  return async (actor, input) => {
    const checked = await checkInput(actor, input, egress)
    if (!checked.ok) return checked
    return executeAs<ChannelView>(ledger, actor, 'manageChannels', async (unit, by) => {
      const { tenantId } = by
      const [routed, counted] = await unit.read([
        routingOf(tenantId),
        list(notificationChannels, { where: [['tenantId', '=', tenantId]], take: 0, count: true }),
      ])
      const entitled = await checkPlan(unit, tenantId)
      if (!entitled.ok) return refusal(entitled)
      const count = counted?.total ?? 0
      if (count >= most.channels)
        return refusal(
          refuse(
            'channel_limit',
            `the organization has ${count} chat channels, expected fewer than ${most.channels}`,
          ),
        )
      const owner = { tenantId, channelId: unit.id('ch') }
      const channel: NotificationChannel = {
        ...owner,
        kind: input.kind,
        webhookUrl: sealUrl(sealer, owner, input.webhookUrl),
        eventTypes: selection(input.eventTypes),
        enabled: input.enabled ?? true,
        state: 'active',
        lastError: null,
        generation: 1,
        createdAt: unit.now,
        updatedAt: unit.now,
      }
      const parts = changeParts(one(routings, routed), null, channel)
      return commit(
        {
          puts: [put(notificationChannels, channel, null), ...parts.puts],
          checks: [...entitled.value, ...parts.checks],
          appends: [entryOf(channel, 'notification_channel.created', actorName(by), unit.now)],
        },
        channelView(channel, sealer),
      )
    })
  }
}

function updateChannel({ ledger, sealer, egress }: ChannelDeps): ChannelUseCases['update'] {
  return async (actor, channelId, input) => {
    const checked = await checkInput(actor, input, egress)
    if (!checked.ok) return checked
    return executeAs<ChannelView>(ledger, actor, 'manageChannels', async (unit, by) => {
      const { tenantId } = by
      const [found, routed] = await unit.read([
        get(notificationChannels, [tenantId, channelId]),
        routingOf(tenantId),
      ])
      const entitled = onlyTurnsOff(input) ? ok([]) : await checkPlan(unit, tenantId)
      if (!entitled.ok) return refusal(entitled)
      const loaded = existingChannel(found)
      if (!loaded.ok) return refusal(loaded)
      const was = loaded.value
      const { webhookUrl, eventTypes, enabled = was.row.enabled } = input
      const moves = webhookUrl !== undefined && webhookUrl !== openUrl(sealer, was.row)
      const mends = webhookUrl !== undefined && was.row.state === 'turned_off'
      const switches = enabled !== was.row.enabled
      const saved = eventTypes === undefined ? was.row.eventTypes : selection(eventTypes)
      const selects = JSON.stringify(saved) !== JSON.stringify(was.row.eventTypes)
      if (!moves && !mends && !switches && !selects) return answer(channelView(was.row, sealer))
      const channel: NotificationChannel = {
        ...was.row,
        ...(moves ? { webhookUrl: sealUrl(sealer, was.row, webhookUrl) } : {}),
        ...(moves || mends ? { state: 'active', lastError: null } : {}),
        eventTypes: saved,
        enabled,
        generation: was.row.generation + (moves || mends || switches ? 1 : 0),
        updatedAt: unit.now,
      }
      const parts = changeParts(one(routings, routed), was.row, channel)
      return commit(
        {
          puts: [put(notificationChannels, channel, was), ...parts.puts],
          checks: [...entitled.value, ...parts.checks],
          appends: [entryOf(channel, 'notification_channel.updated', actorName(by), unit.now)],
        },
        channelView(channel, sealer),
      )
    })
  }
}

function removeChannel({ ledger }: ChannelDeps): ChannelUseCases['remove'] {
  return (actor, channelId) =>
    executeAs<null>(ledger, actor, 'manageChannels', async (unit, by) => {
      const { tenantId } = by
      const [found, routed] = await unit.read([
        get(notificationChannels, [tenantId, channelId]),
        routingOf(tenantId),
      ])
      const loaded = existingChannel(found)
      if (!loaded.ok) return refusal(loaded)
      const { row, version } = loaded.value
      const parts = changeParts(one(routings, routed), row, null)
      return commit(
        {
          ...parts,
          removes: [{ in: notificationChannels.name, key: [tenantId, channelId], version }],
          appends: [entryOf(row, 'notification_channel.removed', actorName(by), unit.now)],
        },
        null,
      )
    })
}

/** What an organization may do under any plan (decision 110). */
function onlyTurnsOff(input: Parameters<ChannelUseCases['update']>[2]): boolean {
  const { webhookUrl, eventTypes, enabled } = input
  return enabled === false && webhookUrl === undefined && eventTypes === undefined
}

/** The routing row is written, or checked. */
function changeParts(
  routing: Versioned<Routing> | null,
  before: NotificationChannel | null,
  after: NotificationChannel | null,
) {
  const tenantId = (after ?? before)?.tenantId ?? ''
  const puts = routedAgain(routing, tenantId, before, after)
  return { puts, checks: puts.length > 0 ? [] : [routingCheck(routing, tenantId)] }
}

async function checkInput(
  actor: Parameters<ChannelUseCases['create']>[0],
  input: Partial<Parameters<ChannelUseCases['create']>[1]>,
  egress: EgressGuard,
): Promise<Result<null>> {
  const member = authorizeMember(actor, 'manageChannels')
  if (!member.ok) return member
  const { eventTypes, webhookUrl } = input
  const malformed = refuseErrors([
    ...(eventTypes === undefined ? [] : typeFaults(eventTypes)),
    ...(webhookUrl?.includes(hidden) || webhookUrl?.includes(encodeURI(hidden))
      ? [wrong('/webhookUrl', `expected the whole URL, got the one that is shown with ${hidden}`)]
      : []),
  ])
  if (malformed) return malformed
  if (webhookUrl === undefined) return ok(null)
  return checkEndpointUrl(webhookUrl, egress, '/webhookUrl')
}

function typeFaults(types: readonly string[]) {
  if (types.length === 0 || types.length > most.eventTypes)
    return [wrong('/eventTypes', `expected 1 to ${most.eventTypes} items, got ${types.length}`)]
  return types.flatMap((type, at) =>
    type === '*' || selectableTypes.some((one) => one === type)
      ? []
      : [
          wrong(
            `/eventTypes/${at}`,
            `expected "*" or an event type that can be selected, got ${JSON.stringify(type)}`,
          ),
        ],
  )
}

/** Without duplicates; `*` stands alone. */
function selection(types: readonly string[]): readonly (EventType | '*')[] {
  if (types.includes('*')) return ['*']
  return selectableTypes.filter((type) => types.includes(type))
}

/** Without the URL, which lets anybody post. */
function entryOf(channel: NotificationChannel, action: string, actor: string, now: number) {
  const { tenantId, channelId, kind, enabled, eventTypes } = channel
  const detail = { kind, enabled, eventTypes: eventTypes.join(', ') }
  return audit(tenantId, { at: isoTime(now), actor, action, subject: channelId, detail })
}
