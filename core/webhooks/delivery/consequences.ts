import { applicationOf } from '../../applications/load.ts'
import { applications } from '../../applications/records.ts'
import { catalogue, isEventType } from '../../base/events/catalogue.ts'
import type { Put } from '../../base/ports/store.ts'
import { givenUp } from '../../content/activity/records.ts'
import { audit } from '../../kernel/ledger/audit.ts'
import { isoTime } from '../../kernel/ledger/iso-time.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { get, one } from '../../kernel/ledger/reads.ts'
import type { Post } from '../../kernel/mail/post.ts'
import { noIntake, type Parts, type SettledAttempt } from '../../outbox/kind.ts'
import type { Delivery } from '../../outbox/records.ts'
import { changePuts } from '../change-set.ts'
import { timesOf } from '../load-webhook.ts'
import type { Command, Decided } from '../machine/command.ts'
import { decide } from '../machine/machine.ts'
import { owesWindows, unannounced } from '../machine/missed-windows.ts'
import { routings, type Webhook, webhooks } from '../records.ts'
import { routingOf } from '../routing/fan-out.ts'
import { echoes } from './challenge.ts'
import type { WebhookEndpoint } from './endpoint.ts'

const verification = 'subscription.verification_requested'
const eventsMissed = 'subscription.events_missed'

/** Whether an outcome can change the webhook, judged by its record when the attempt began. */
export function entails(settled: SettledAttempt): boolean {
  const { before, after, answer } = settled
  const endpoint = settled.endpoint as WebhookEndpoint | null
  if (!endpoint || (answer === null && !endpoint.admits(before))) return false
  if (isGone(settled)) return true
  const reports = before.type === verification || before.type === eventsMissed
  if (after.status === 'delivered') return reports || owesWindows(endpoint.webhook)
  return after.status === 'dead_lettered' && (reports || isLost(settled))
}

/** What an outcome changes, decided on the webhook as it is now; a webhook that it turns off is reported by mail too. */
export async function consequences(
  settled: SettledAttempt,
  unit: UnitOfWork,
  post: Post,
): Promise<Parts> {
  const { endpointId, tenantId, applicationId } = settled.before
  const [found, routed, applied] = await unit.read([
    get(webhooks, [endpointId]),
    routingOf(tenantId),
    ...(applicationId === null ? [] : [applicationOf(tenantId, applicationId)]),
  ])
  const webhook = one(webhooks, found)
  if (!webhook) return {}
  const routing = one(routings, routed)
  const times = timesOf(routing, unit.now)

  let decided: Decided = { webhook: webhook.row, notices: [], again: [] }
  const apply = (command: Command): void => {
    const next = decide(decided.webhook, command, times)
    if (!next.ok) throw new Error(`${command.kind}: ${next.refusal.detail}`)
    const { notices, again } = next.value
    decided = {
      webhook: next.value.webhook,
      notices: [...decided.notices, ...notices],
      again: [...decided.again, ...again],
    }
  }
  for (const command of commandsOf(settled, webhook.row)) apply(command)
  if (settled.after.status === 'delivered') {
    const messageIds = unannounced(decided.webhook).map(() => unit.id('evt'))
    apply({ kind: 'received', messageIds })
  }
  const lost = isLost(settled)
    ? givenUp(unit, settled.before, one(applications, applied))
    : { puts: [], checks: [] }
  if (decided.webhook === webhook.row) return lost
  const puts = await changePuts(unit, noIntake, { webhook, routing, times }, decided)
  return {
    puts: [...lost.puts, ...puts, ...turnOffMail(webhook.row, decided.webhook, unit, post)],
    checks: lost.checks,
    ...turnOffAudit(webhook.row, decided.webhook, unit.now),
  }
}

function commandsOf(settled: SettledAttempt, webhook: Webhook): readonly Command[] {
  const { before, after, answer, endpoint } = settled
  const { messageId, type, generation } = before
  const delivered = after.status === 'delivered'
  const ended = after.status === 'dead_lettered'
  const commands: Command[] = []
  if (type === verification && (delivered || ended)) {
    const echoed = delivered && echoes(answer, webhook.verification.challenge)
    commands.push({ kind: 'challenge_answered', messageId, echoed })
  }
  if (type === eventsMissed && (delivered || ended))
    commands.push({ kind: delivered ? 'window_reported' : 'window_unreported', messageId })
  if (isGone(settled) && endpoint) commands.push({ kind: 'endpoint_gone', url: endpoint.url })
  else if (ended && isReview(before)) commands.push({ kind: 'retries_exhausted', generation })
  return commands
}

/** A selected event that is not delivered after its last attempt. */
function isLost({ before, after }: SettledAttempt): boolean {
  return before.kind === 'event' && after.status === 'dead_lettered'
}

function isGone({ answer }: SettledAttempt): boolean {
  return answer?.kind === 'answer' && answer.status === 410
}

/** Only deliveries of review events turn a webhook off (interface, Delivery). */
function isReview({ type }: Delivery): boolean {
  return isEventType(type) && catalogue[type].envelope === 'review'
}

/** The audit log has the system's turn-off as it has an owner's. */
function turnOffAudit(before: Webhook, after: Webhook, now: number): Pick<Parts, 'appends'> {
  if (before.statusReason === after.statusReason) return {}
  const entry = {
    at: isoTime(now),
    actor: 'system',
    action: 'webhook.turned_off',
    subject: after.webhookId,
    detail: { reason: after.statusReason },
  }
  return { appends: [audit(after.tenantId, entry)] }
}

/** The mail to the contact address (interface, Profile); none where there is no mailer. */
function turnOffMail(
  before: Webhook,
  after: Webhook,
  unit: UnitOfWork,
  post: Post,
): readonly Put[] {
  if (before.status === after.status || after.status !== 'turned_off') return []
  const why =
    after.statusReason === 'endpoint_gone' ? 'it answered 410' : 'it failed for three days'
  const text = [
    `The webhook ${after.webhookId} was turned off at ${isoTime(unit.now)}: ${why}.`,
    '',
    'Nothing is sent to it until it is turned on again. What it misses until then is not sent later.',
  ].join('\n')
  return post.owe(unit, after.tenantId, { to: null, subject: 'A webhook was turned off', text })
}
