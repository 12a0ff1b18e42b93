import { type Actor, actorName } from '../access/actor.ts'
import { authorizeMember } from '../access/authorize.ts'
import { executeAs } from '../access/execute-as.ts'
import { encodeEvent } from '../events/envelope.ts'
import type { LegacyEvent } from '../events/legacy.ts'
import { audit } from '../ledger/audit.ts'
import { isoTime } from '../ledger/iso-time.ts'
import { commit, refusal } from '../ledger/ledger.ts'
import { get } from '../ledger/reads.ts'
import { ok, refuse } from '../ledger/refusal.ts'
import type { Outcomes } from '../outbox/kind.ts'
import { owe } from '../outbox/owe.ts'
import { createTestTurns, testPatienceMs } from '../outbox/test-turns.ts'
import type { ChannelDeps } from './deps.ts'
import { checkPlan, existingChannel } from './load.ts'
import { notificationChannels } from './records.ts'
import type { ChannelUseCases } from './use-cases.ts'

interface Owed {
  readonly outcome: ReturnType<Outcomes['next']>
}

/** Sends a sample message once and waits for what became of it. */
export function createChannelTest({
  ledger,
  intake,
  outcomes,
}: Pick<ChannelDeps, 'ledger' | 'intake' | 'outcomes'>): ChannelUseCases['test'] {
  async function send(actor: Actor, channelId: string): ReturnType<ChannelUseCases['test']> {
    const owed = await executeAs<Owed>(ledger, actor, 'manageChannels', async (unit, by) => {
      const { tenantId } = by
      const [found] = await unit.read([get(notificationChannels, [tenantId, channelId])])
      const entitled = await checkPlan(unit, tenantId)
      if (!entitled.ok) return refusal(entitled)
      const loaded = existingChannel(found)
      if (!loaded.ok) return refusal(loaded)
      const { row, version } = loaded.value
      if (row.state === 'turned_off')
        return refusal(
          refuse('endpoint_gone', 'the channel answered 410: save its URL again before a test'),
        )
      if (!row.enabled)
        return refusal(refuse('invalid_transition', 'the channel is not enabled, expected enabled'))
      const messageId = unit.id('evt')
      const event = sample(messageId, tenantId, unit.now)
      const { type, applicationId } = event
      const message = {
        ...{ messageId, tenantId, applicationId, type, family: 'legacy' as const },
        createdAt: unit.now,
        body: encodeEvent(event),
      }
      const to = {
        ...{ endpointId: channelId, kind: row.kind, policy: 'once' as const },
        ...{ generation: row.generation, trigger: 'test' as const },
      }
      // Watch before the commit: the attempt may end before the commit is reported.
      const outcome = outcomes.next(channelId, messageId, testPatienceMs)
      const key = [tenantId, channelId] as const
      const entry = {
        ...{ at: isoTime(unit.now), actor: actorName(by), subject: channelId, detail: {} },
        action: 'notification_channel.tested',
      }
      return commit(
        {
          checks: [{ in: notificationChannels.name, key, version }, ...entitled.value],
          puts: owe(unit, intake, message, [to]),
          appends: [audit(tenantId, entry)],
        },
        { outcome },
      )
    })
    if (!owed.ok) return owed
    const attempt = await owed.value.outcome
    if (!attempt)
      return refuse(
        'unavailable',
        `the test was not sent within ${testPatienceMs / 1_000} s: the channel was changed meanwhile, or the dispatcher is not running`,
        { facts: { written: null } },
      )
    const { outcome, responseStatus, error } = attempt
    return ok({ outcome, responseStatus, error })
  }

  const turns = createTestTurns()
  return async (actor, channelId) => {
    const member = authorizeMember(actor, 'manageChannels')
    if (!member.ok) return member
    return turns.run(member.value.tenantId, channelId, () => send(actor, channelId))
  }
}

function sample(
  id: string,
  tenantId: string,
  now: number,
): LegacyEvent & { type: 'alert.triggered' } {
  return {
    id,
    type: 'alert.triggered',
    timestamp: isoTime(now),
    tenantId,
    applicationId: null,
    data: {
      alertRuleId: 'rule_00000000000000000000000000',
      alertRuleName: 'Test of this channel',
      metricName: 'channel.test',
      currentValue: 1,
      threshold: 0,
      severity: 'info',
    },
  }
}
