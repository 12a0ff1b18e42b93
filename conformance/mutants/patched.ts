import type { Property } from '../simulator/properties.ts'
import type { Mutant, Patch } from './mutant.ts'

function one(name: string, property: Property, patch: Patch): Mutant {
  return { name, property, patches: [patch] }
}

const machine = 'review/machine.js'
const rows = 'review/rows.js'
const changes = 'review/changes.js'
const outbox = 'outbox/machine.js'
const sender = 'outbox/sender.js'
const fanOut = 'webhooks/fan-out.js'
const endpoint = 'webhooks/endpoint.js'

/** Cases that a reviewer or a customer would be told wrongly of. */
const cases: readonly Mutant[] = [
  {
    name: 'late approval',
    property: 'deadlines are kept',
    patches: [
      {
        file: machine,
        find: 'context.now >= review.expiresAt',
        put: 'context.now >= review.expiresAt + 3_600_000',
      },
      {
        file: 'review/deadlines.js',
        find: 'overdueAt === null ? dueAt : expiresAt',
        put: 'overdueAt === null ? dueAt : expiresAt + 3_600_000',
      },
    ],
  },
  one('expiry that approves', 'expired never approves', {
    file: rows,
    find: "state: 'expired', decision: 'expired'",
    put: "state: 'expired', decision: 'approved'",
  }),
  one('decision on a closed case', 'one terminal step', {
    file: machine,
    find: 'return asSeen(review, context) ?? rows.decideOutcome',
    put: 'return rows.decideOutcome',
  }),
  one('cancelling what is decided', 'one terminal step', {
    file: machine,
    find: 'return asSeen(review, context) ?? rows.cancel',
    put: 'return rows.cancel',
  }),
  {
    name: 'overdue again and again',
    property: 'deadlines are kept',
    patches: [
      {
        file: rows,
        find: 'now < review.dueAt || review.overdueAt !== null',
        put: 'now < review.dueAt',
      },
      {
        file: 'review/deadlines.js',
        find: 'overdueAt === null ? dueAt : expiresAt',
        put: 'overdueAt === null ? dueAt : Math.min(overdueAt + 1_000, expiresAt)',
      },
    ],
  },
  {
    name: 'overdue too soon',
    property: 'deadlines are kept',
    patches: [
      {
        file: rows,
        find: 'now < review.dueAt || review.overdueAt !== null',
        put: 'review.overdueAt !== null',
      },
      {
        file: 'review/deadlines.js',
        find: 'overdueAt === null ? dueAt : expiresAt',
        put: 'overdueAt === null ? dueAt - 10_000 : expiresAt',
      },
    ],
  },
  one('digest of nothing accepted', 'digest is of what is shown', {
    file: rows,
    find: 'command.presentationDigest !== review.presentationDigest',
    put: 'false',
  }),
  one('digest of before the answer', 'digest is of what is shown', {
    file: rows,
    find: 'presentationDigest: presentationDigest(presentation)',
    put: 'presentationDigest: review.presentationDigest ?? presentationDigest(presentation)',
  }),
  one('assignment without a digest', 'digest is of what is shown', {
    file: rows,
    find: 'presentationDigest: presentationDigest(review.presentation)',
    put: 'presentationDigest: null',
  }),
  one('an answer that resumes the work', 'answers change nothing', {
    file: rows,
    find: "received ? { ...tried, state: 'received' } : tried }",
    put: "received ? { ...tried, state: 'received' } : tried, continuation: { outcome: 'resumed', reportedAt: 0, detail: null } }",
  }),
  one('a sequence that stands still', 'versions rise', {
    file: 'review/record.js',
    find: 'after.eventSequence + 1',
    put: 'Math.max(1, after.eventSequence + (steps[step].raises ? 1 : 0))',
  }),
  one('a callback attempt that raises the version', 'versions rise', {
    file: 'review/steps.js',
    find: 'callback_attempted: { row: 10, event: null, raises: false }',
    put: 'callback_attempted: { row: 10, event: null, raises: true }',
  }),
  one('one key, two requests', 'one key, one result', {
    file: 'ledger/receipts.js',
    find: 'was.row.fingerprint === receipt.fingerprint',
    put: 'true',
  }),
  one('acts without an entry', 'acts are audited', {
    file: changes,
    find: 'appends: auditEntries(review, moved.recorded, actor)',
    put: 'appends: []',
  }),
  one('answer before the commit', 'acknowledged is kept', {
    file: 'ledger/ledger.js',
    find: 'const outcome = await store.commit(set)',
    put: 'void store.commit(set).catch(() => {}); const outcome = { committed: true }',
  }),
]

/** Events and outcomes that are lost, doubled or wrong before they are sent. */
const events: readonly Mutant[] = [
  one('no event is owed', 'every event is owed', {
    file: changes,
    find: '...fanOut.puts,',
    put: '',
  }),
  one('outcomes of decisions alone', 'every outcome is owed', {
    file: changes,
    find: '...(closing ? callbackPuts',
    put: "...(closing && review.state === 'decided' ? callbackPuts",
  }),
  one('the comment in the event', 'no private text', {
    file: 'review/messages.js',
    find: 'presentationDigest: step.presentationDigest,',
    put: 'presentationDigest: step.presentationDigest, shown: review.presentation,',
  }),
  one('the outcome in clear text', 'no private text', {
    file: 'review/messages.js',
    find: 'body: sealOutcome(sealer, message)',
    put: 'body: message.body',
  }),
  one('events of another time', 'a change and its events', {
    file: 'review/messages.js',
    find: 'time: isoTime(step.at),',
    put: 'time: isoTime(review.createdAt - 1),',
  }),
  one('fan-out to those that are off', 'off is silent', {
    file: fanOut,
    find: 'route.receiving && selects(route, event.type)',
    put: 'selects(route, event.type)',
  }),
  one('fan-out of what nobody selected', 'every event is owed', {
    file: fanOut,
    find: "selected === '*' || selected === type",
    put: "selected !== ''",
  }),
  one('a window that ends too soon', 'missed windows are exact', {
    file: 'webhooks/event-time.js',
    find: 'Math.max(eventTime(routing, now), routing?.row.horizon ?? 0)',
    put: '(routing?.row.changedAt ?? now)',
  }),
  one('a window that begins too soon', 'missed windows are exact', {
    file: 'webhooks/event-time.js',
    find: 'eventTime(routing, now) + slackMs',
    put: 'eventTime(routing, now) - 3_600_000',
  }),
  one('windows that nobody hears of', 'missed windows are exact', {
    file: 'webhooks/windows.js',
    find: "return (webhook.status === 'receiving' &&",
    put: 'return (false &&',
  }),
  one('a history with gaps between its pages', 'history is whole', {
    file: 'ledger/listing.js',
    find: '(query.page - 1) * query.pageSize',
    put: '(query.page - 1) * (query.pageSize + 1)',
  }),
  one('history of what was delivered alone', 'history is whole', {
    file: 'webhooks/queries.js',
    find: "['kind', '=', 'event'],",
    put: "['kind', '=', 'event'], ['status', '=', 'delivered'],",
  }),
  one('turned on without a challenge', 'notices are owed', {
    file: 'webhooks/machine.js',
    find: 'changed(webhook, verifying(on, challenge, times.now), times.now)',
    put: 'changed(webhook, { webhook: on }, times.now)',
  }),
]

/** A dispatcher that sends what, when or where it must not. */
const sending: readonly Mutant[] = [
  one('a redirect is success', 'delivered means 2xx', {
    file: 'outbox/answer.js',
    find: 'if (result.status >= 200 && result.status <= 299)\n        return { kind',
    put: 'if (result.status >= 200 && result.status <= 399)\n        return { kind',
  }),
  one('a timeout is success', 'delivered means 2xx', {
    file: 'outbox/answer.js',
    find: "return { kind: 'failed', retryAfter: null };",
    put: "return { kind: 'delivered' };",
  }),
  one('a swallowed 410', 'gone is silent', {
    file: 'webhooks/consequences.js',
    find: 'if (isGone(settled) && endpoint)',
    put: 'if (false)',
  }),
  one('notices after a 410', 'gone is silent', {
    file: 'webhooks/changed.js',
    find: "webhook.statusReason === 'endpoint_gone' ? [] : ",
    put: '',
  }),
  one('what was owed before a turn-off', 'off is silent', {
    file: 'webhooks/admits.js',
    find: 'delivery.generation === generation && ',
    put: '',
  }),
  one('no admission at all', 'off is silent', {
    file: 'outbox/pump.js',
    find: '!endpoint?.admits(found.row)',
    put: '!endpoint',
  }),
  one('a new id for each attempt', 'same id, same bytes', {
    file: sender,
    find: 'endpoint.sign({ messageId, body',
    put: "endpoint.sign({ messageId: messageId + 'x' + flight.found.row.attempts, body",
  }),
  one('a body serialized anew', 'same id, same bytes', {
    file: sender,
    find: 'transport.post({ url: endpoint.url, headers, body, deadlineMs',
    put: 'transport.post({ url: endpoint.url, headers, body: new TextEncoder().encode(JSON.stringify(JSON.parse(new TextDecoder().decode(body)), null, 1)), deadlineMs',
  }),
  one('signed when it was made', 'signed now by a valid key', {
    file: sender,
    find: 'family, now: startedAt })',
    put: 'family, now: flight.found.row.createdAt })',
  }),
  one('one secret of two', 'both secrets sign', {
    file: endpoint,
    find: '[webhook.secret, previousAt(webhook, input.now)]',
    put: '[webhook.secret]',
  }),
  one('a previous secret without end', 'old secrets are wiped', {
    file: 'webhooks/upkeep.js',
    find: '...webhook.row, previousSecret: null }',
    put: '...webhook.row, updatedAt: now }',
  }),
  one('no cap per endpoint', 'in-flight caps', {
    file: 'outbox/board.js',
    find: '&& lane.inFlight < limit',
    put: '',
  }),
  one('an impatient schedule', 'retry schedule', {
    file: 'outbox/policy.js',
    find: '            5 * minute,\n',
    put: '            5 * second,\n',
  }),
  one('a second try of what has one', 'attempt budget', {
    file: 'outbox/policy.js',
    find: 'once: { waits: []',
    put: 'once: { waits: [5 * second]',
  }),
  one('a lease that never ends', 'comes to rest', {
    file: 'outbox/claims.js',
    find: 'time.leaseBase() + options.leaseMs',
    put: 'time.leaseBase() + 1e13',
  }),
  one('a replay within the round', 'delivery moves', {
    file: outbox,
    find: 'round: found.row.round + 1',
    put: 'round: found.row.round',
  }),
  one('delivered and still due', 'delivery moves', {
    file: outbox,
    find: "status: 'delivered', due: null",
    put: "status: 'delivered', due: moment.now + 60_000",
  }),
]

export const patched: readonly Mutant[] = [...cases, ...events, ...sending]
