import type { Sealer } from '../../base/ports/secrets.ts'
import type { Versioned } from '../../base/ports/store.ts'
import type { EgressGuard } from '../../base/ports/transport.ts'
import type { MemberActor } from '../../kernel/callers/actor.ts'
import { checkEndpointUrl } from '../../kernel/ledger/endpoint-url.ts'
import { longest, most } from '../../kernel/ledger/limits.ts'
import { listOf, object, showAll } from '../../kernel/members.ts'
import { Afterwards, operationsWith } from '../../kernel/operation.ts'
import { page, place, placeOf } from '../../kernel/page.ts'
import { orNotFound, type Query, rowUnder } from '../../kernel/query.ts'
import { just, oneOf, text, whole } from '../../kernel/shape.ts'
import type { Unit } from '../../kernel/unit.ts'
import { optionalEach, orNull } from '../../kernel/wrap.ts'
import { entitled } from '../../organizations/access/entitled.ts'
import type { Intake, Outcomes } from '../../outbox/kind.ts'
import { type TestTurns, testPatienceMs } from '../../outbox/test-turns.ts'
import { type Routing, routings } from '../records.ts'
import {
  type ChannelView,
  channelDefinition,
  channelShape,
  masked,
  type NotificationChannel,
  notificationChannels,
  openUrl,
  sealUrl,
  shownChannel,
} from './records.ts'
import { routedAgain } from './route-channel.ts'
import { sendTest } from './send-test.ts'

/** What the room is opened with; `intake` and `outcomes` are the dispatcher's. */
export interface ChannelTools {
  readonly sealer: Sealer
  readonly egress: EgressGuard
  readonly intake: Intake
  readonly outcomes: Outcomes
  readonly testTurns: TestTurns
}

const { command, reading } = operationsWith<ChannelTools>()

const id = { channelId: shownChannel.channelId }
const { kind: _, ...changeable } = channelDefinition
const feature = 'notificationChannels'

/** A page of chat channels, the oldest first. */
export const listChannels = reading({
  name: 'notificationChannels.list',
  doc: 'List chat channels',
  right: 'readChannels',
  takes: page,
  gives: object({ notificationChannels: listOf(channelShape), ...place }, 'NotificationChannels'),
  refuses: [],
  async run({ ask, by: { tenantId }, tools: { sealer } }, asked) {
    const { found } = await ask({ found: notificationChannels.by('key', { tenantId }, asked) })
    return {
      notificationChannels: found.rows.map(({ row }) => shown(row, sealer)),
      ...placeOf(found.total, asked),
    }
  },
})

/** One chat channel. */
export const readChannel = reading({
  name: 'notificationChannels.read',
  doc: 'Read a chat channel',
  right: 'readChannels',
  takes: id,
  gives: channelShape,
  refuses: ['not_found'],
  async run({ ask, by, tools: { sealer } }, { channelId }) {
    const { channel } = await ask({ channel: existing(by, channelId) })
    return shown(channel.row, sealer)
  },
})

/** Creates a chat channel, which receives events immediately; up to `most.channels` an organization. */
export const createChannel = command({
  name: 'notificationChannels.create',
  doc: 'Create a chat channel, which hears of events at once',
  right: 'manageChannels',
  feature,
  takes: channelDefinition,
  gives: channelShape,
  refuses: ['invalid_url', 'refused_address', 'channel_limit'],
  async prepare({ tools: { egress }, orRefuse }, { webhookUrl }) {
    return orRefuse(await checkEndpointUrl(webhookUrl, egress, '/webhookUrl'))
  },
  async run(unit, { webhookUrl, ...definition }) {
    const { now, tools } = unit
    const { tenantId } = unit.by
    const { routing, count } = await unit.ask({
      routing: rowUnder(routings, [tenantId]),
      count: notificationChannels.count('key', { tenantId }),
    })
    if (count >= most.channels)
      unit.refuse(
        'channel_limit',
        `the organization has ${count} chat channels, expected fewer than ${most.channels}`,
      )
    const owner = { tenantId, channelId: unit.id('ch') }
    const channel: NotificationChannel = {
      ...owner,
      ...definition,
      webhookUrl: sealUrl(tools.sealer, owner, webhookUrl),
      state: 'active',
      lastError: null,
      generation: 1,
      createdAt: now,
      updatedAt: now,
    }
    return save(unit, 'created', { routing, was: null }, channel)
  },
})

/** Replaces what is given; absent members keep. A saved URL turns a channel on again that answered 410. */
export const updateChannel = command({
  name: 'notificationChannels.update',
  doc: 'Change a chat channel; absent members keep',
  right: 'manageChannels',
  takes: { ...id, ...optionalEach(changeable) },
  gives: channelShape,
  refuses: ['invalid_url', 'refused_address', 'not_found', 'plan_required'],
  async prepare({ tools: { egress }, orRefuse }, { webhookUrl }) {
    if (webhookUrl !== undefined)
      orRefuse(await checkEndpointUrl(webhookUrl, egress, '/webhookUrl'))
  },
  async run(unit, { channelId, webhookUrl, ...given }) {
    const { sealer } = unit.tools
    const { tenantId } = unit.by
    // What an organization may do under any plan (decision 110).
    const onlyTurnsOff =
      given.enabled === false && webhookUrl === undefined && given.eventTypes === undefined
    if (!onlyTurnsOff) await unit.ask({ plan: entitled(tenantId, feature) })
    const seen = await unit.ask({
      was: existing(unit.by, channelId),
      routing: rowUnder(routings, [tenantId]),
    })
    const { row } = seen.was
    const { enabled = row.enabled, eventTypes = row.eventTypes } = given
    const moves = webhookUrl !== undefined && webhookUrl !== openUrl(sealer, row)
    const mends = webhookUrl !== undefined && row.state === 'turned_off'
    const switches = enabled !== row.enabled
    const selects = JSON.stringify(eventTypes) !== JSON.stringify(row.eventTypes)
    if (!moves && !mends && !switches && !selects) return shown(row, sealer)
    return save(unit, 'updated', seen, {
      ...row,
      ...(moves && { webhookUrl: sealUrl(sealer, row, webhookUrl) }),
      ...((moves || mends) && { state: 'active', lastError: null }),
      eventTypes,
      enabled,
      generation: row.generation + (moves || mends || switches ? 1 : 0),
      updatedAt: unit.now,
    })
  },
})

/** Removes a chat channel; what it was still owed is not sent. */
export const removeChannel = command({
  name: 'notificationChannels.remove',
  doc: 'Remove a chat channel',
  right: 'manageChannels',
  takes: id,
  gives: object({ ...id, deleted: just(true) }, 'RemovedNotificationChannel'),
  refuses: ['not_found'],
  async run(unit, { channelId }) {
    const seen = await unit.ask({
      was: existing(unit.by, channelId),
      routing: rowUnder(routings, [unit.by.tenantId]),
    })
    unit.remove(notificationChannels, seen.was)
    route(unit, seen, null)
    auditChannel(unit, 'removed', seen.was.row)
    return { channelId, deleted: true as const }
  },
})

const testedChannel = {
  outcome: oneOf(['delivered', 'failed']),
  responseStatus: orNull(whole(100, 999)),
  error: orNull(text(longest.detail)),
}

/** Sends a sample message once the channel's tests before it have ended, and waits up to 20 s for the answer. */
export const testChannel = command({
  name: 'notificationChannels.test',
  doc: 'Send a sample message once',
  right: 'manageChannels',
  feature,
  takes: id,
  gives: object(testedChannel, 'NotificationChannelTest'),
  refuses: ['not_found', 'endpoint_gone', 'invalid_transition', 'unavailable'],
  around: ({ by, tools }, { channelId }, run) => tools.testTurns.run(by.tenantId, channelId, run),
  async run(unit, { channelId }) {
    const { row } = (await unit.ask({ channel: existing(unit.by, channelId) })).channel
    if (row.state === 'turned_off')
      unit.refuse('endpoint_gone', 'the channel answered 410: save its URL again before a test')
    if (!row.enabled)
      unit.refuse('invalid_transition', 'the channel is not enabled, expected enabled')
    const { puts, outcome } = sendTest(unit, row, unit.tools)
    unit.include({ puts })
    unit.audit('notification_channel.tested', channelId, {})
    return new Afterwards(async () => {
      const attempt = await outcome
      if (attempt) return showAll(testedChannel, attempt)
      return unit.refuse(
        'unavailable',
        `the test was not sent within ${testPatienceMs / 1_000} s: the channel was changed, or the dispatcher is not running`,
        // It may still go out.
        { facts: { written: null } },
      )
    })
  },
})

/** Chat channels (interface, Portal host). */
export const channelOperations = [
  listChannels,
  createChannel,
  readChannel,
  updateChannel,
  removeChannel,
  testChannel,
] as const

function existing(
  { tenantId }: MemberActor,
  channelId: string,
): Query<Versioned<NotificationChannel>, 'not_found'> {
  return orNotFound(notificationChannels.get(tenantId, channelId), 'notification channel')
}

type Change = Unit<MemberActor, never, ChannelTools>

/** What a change of a channel was decided by. */
interface Seen {
  readonly was: Versioned<NotificationChannel> | null
  readonly routing: Versioned<Routing> | null
}

function save(unit: Change, act: string, seen: Seen, channel: NotificationChannel): ChannelView {
  unit.put(notificationChannels, channel, seen.was)
  route(unit, seen, channel)
  auditChannel(unit, act, channel)
  return shown(channel, unit.tools.sealer)
}

function route(unit: Change, { was, routing }: Seen, channel: NotificationChannel | null): void {
  const route = routedAgain(routing, unit.by.tenantId, was?.row ?? null, channel)
  if (route) unit.put(routings, route, routing)
}

/** Without the URL, which lets anybody post. */
function auditChannel(
  unit: Change,
  act: string,
  { channelId, kind, enabled, eventTypes }: NotificationChannel,
): void {
  const detail = { kind, enabled, eventTypes: eventTypes.join(', ') }
  unit.audit(`notification_channel.${act}`, channelId, detail)
}

function shown(channel: NotificationChannel, sealer: Sealer): ChannelView {
  return showAll(shownChannel, { ...channel, webhookUrl: masked(openUrl(sealer, channel)) })
}
