import type { EventType } from '../base/events/catalogue.ts'
import { longest } from '../kernel/ledger/limits.ts'
import { count } from '../kernel/page.ts'
import { flag, line, number, oneOf, type RowsOf, stored, time, whole } from '../kernel/shape.ts'
import { table } from '../kernel/table.ts'
import { fromOne } from '../kernel/usual.ts'
import { orNull } from '../kernel/wrap.ts'

const id = line(longest.id)

/** The message that a row is about. */
const about = {
  messageId: id,
  tenantId: id,
  applicationId: orNull(id),
  type: stored<EventType | 'review.outcome'>('text'),
  family: oneOf(['standard', 'legacy']),
}
/** Rows go by the retention of messages, even after a purge or the tenant's deletion. */
const asMessages = {
  tenant: 'tenantId',
  purge: { part: 'deliveries' },
  outlives: 'goes by its own retention',
} as const

/** What is sent, stored once as the bytes that every attempt signs; its id is the `webhook-id`. */
export const messages = table({
  name: 'messages',
  members: {
    ...about,
    createdAt: time,
    /** Endpoints of its deliveries. */
    endpointIds: stored<readonly string[]>(),
    body: stored<Uint8Array>(),
  },
  key: ['messageId'],
  indexes: { byApplication: ['applicationId'] },
  bytes: 'body',
  ...asMessages,
  retain: { work: 'messageRetention' },
})

/** What is sent to endpoints. */
export interface Message extends RowsOf<typeof messages.members> {}
/** A message before it is owed to endpoints. */
export type NewMessage = Omit<Message, 'endpointIds'>

/** One message owed to one endpoint: the queue's row, and the history that the recovery read lists. */
export const deliveries = table({
  name: 'deliveries',
  members: {
    /** The lane: a webhook's id, or the application whose callback it is. */
    endpointId: id,
    ...about,
    deliveryId: id,
    /**
     * Why it exists: `event` was selected by the webhook, `notice` is about the webhook itself (`subscription.*`),
     * `callback` and `test` as named, `slack` and `teams` are chats. Decides what follows from the outcome.
     */
    kind: oneOf(['event', 'notice', 'callback', 'test', 'slack', 'teams']),
    policy: oneOf(['review', 'legacy', 'callback', 'once']),
    /** A replay or recovery opens the next round of the same delivery, with a full retry budget. */
    round: fromOne,
    /** The webhook's generation when it was owed; turning off starts the next, which ends what was owed before. */
    generation: fromOne,
    /** `delivering` is not stored: it is a row under a live lease. */
    status: oneOf(['pending', 'retry_scheduled', 'delivered', 'dead_lettered']),
    /** Null once the round has ended. */
    due: orNull(time),
    /** Claims of this round, interrupted ones included. */
    attempts: count,
    /** Attempts of this round in the log; claims beyond it were lost. */
    logged: count,
    /** Of the logged attempts, those whose process ended before they were settled. */
    interrupted: count,
    /** Attempts of this round that somebody asked for ahead of their time: they take no step of the schedule. */
    broughtForward: count,
    createdAt: time,
    /** When the first settled POST of the round began; the time of the last attempt counts from it. */
    firstAttemptAt: orNull(time),
    deliveredAt: orNull(time),
    /** Of the last POST that was settled, in whatever round: wall time, and as `failureOf` names it. */
    lastAttemptAt: orNull(time),
    lastResponseStatus: orNull(whole(0, 999)),
    lastError: orNull(line(longest.id)),
    /** When the round ended, by outbox time; null while it runs. */
    endedAt: orNull(time),
    trigger: oneOf(['event', 'test', 'replay', 'verification']),
  },
  key: ['endpointId', 'messageId'],
  indexes: {
    /** In the order of messages; lists try the type in it. */
    byStatus: ['endpointId', 'status', 'messageId', 'type'],
    byKind: ['endpointId', 'kind'],
    byApplication: ['applicationId'],
  },
  // A settle changes columns alone, so the body is not rewritten.
  columns: [
    'logged',
    'interrupted',
    'broughtForward',
    'firstAttemptAt',
    'deliveredAt',
    'lastAttemptAt',
    'lastResponseStatus',
    'lastError',
    'endedAt',
  ],
  queue: { lane: 'endpointId', due: 'due', claims: 'attempts' },
  ...asMessages,
  retain: { work: 'messageRetention' },
})

/** One message owed to one endpoint. */
export interface Delivery extends RowsOf<typeof deliveries.members> {}
export type DeliveryKind = Delivery['kind']
/** As readers see it. */
export type DeliveryStatus = Delivery['status'] | 'delivering'
export type PolicyName = Delivery['policy']

/** Days for which attempts are kept and listed (interface, Limits). */
export const attemptDays = 7

type Headers = Readonly<Record<string, string>>

/** Single tries, as the delivery log shows them; the request's body is the message's. */
export const attempts = table({
  name: 'attempts',
  members: {
    endpointId: id,
    attemptId: id,
    ...about,
    deliveryId: id,
    /** From 1, within the round. */
    attempt: fromOne,
    trigger: oneOf(['event', 'retry', 'test', 'replay', 'verification']),
    startedAt: time,
    latencyMs: number,
    outcome: oneOf(['delivered', 'failed']),
    error: stored<string | null>(),
    requestHeaders: stored<Headers>(),
    responseStatus: stored<number | null>(),
    responseHeaders: stored<Headers | null>(),
    responseBody: stored<Uint8Array | null>(),
    truncated: flag,
  },
  key: ['endpointId', 'attemptId'],
  indexes: {
    byMessage: ['endpointId', 'messageId'],
    byApplication: ['applicationId'],
    byAge: ['startedAt'],
  },
  ...asMessages,
  retain: { by: 'startedAt', days: attemptDays },
})

/** One try. */
export interface AttemptRecord extends RowsOf<typeof attempts.members> {}
