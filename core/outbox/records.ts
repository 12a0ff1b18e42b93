import type { EventType, Family } from '../base/events/catalogue.ts'
import type { Collection } from '../base/ports/store.ts'

/** What is sent, stored once as the bytes that every attempt signs; its id is the `webhook-id`. */
export interface Message {
  readonly messageId: string
  readonly tenantId: string
  readonly applicationId: string | null
  readonly type: EventType | 'review.outcome'
  readonly family: Family
  readonly createdAt: number
  /** Endpoints of its deliveries. */
  readonly endpointIds: readonly string[]
  readonly body: Uint8Array
}

/** A message before it is owed to endpoints. */
export type NewMessage = Omit<Message, 'endpointIds'>

export const messages: Collection<Message> = {
  name: 'messages',
  key: ['messageId'],
  columns: { messageId: 'text', tenantId: 'text', applicationId: 'text', createdAt: 'int' },
  indexes: { byApplication: ['applicationId'] },
  bytes: 'body',
  tenant: 'tenantId',
  purge: { part: 'deliveries' },
  outlives: 'goes by its own retention',
  retain: { work: 'messageRetention' },
}

/**
 * Why a delivery exists: `event` was selected by the webhook, `notice` is about the webhook itself (`subscription.*`),
 * `callback` and `test` as named, `slack` and `teams` are chats. Decides what follows from the outcome.
 */
export type DeliveryKind = 'event' | 'notice' | 'callback' | 'test' | 'slack' | 'teams'

/** `delivering` is not stored: it is a row under a live lease. */
export type StoredStatus = 'pending' | 'retry_scheduled' | 'delivered' | 'dead_lettered'
export type DeliveryStatus = StoredStatus | 'delivering'

export type PolicyName = 'review' | 'legacy' | 'callback' | 'once'

/** One message owed to one endpoint: the queue's row, and the history that the recovery read lists. */
export interface Delivery {
  /** The lane: a webhook's id, or the application whose callback it is. */
  readonly endpointId: string
  readonly messageId: string
  readonly tenantId: string
  readonly applicationId: string | null
  readonly deliveryId: string
  readonly kind: DeliveryKind
  readonly type: Message['type']
  readonly family: Family
  readonly policy: PolicyName
  /** A replay or recovery opens the next round of the same delivery, with a full retry budget. */
  readonly round: number
  /** The webhook's generation when it was owed; turning off starts the next, which ends what was owed before. */
  readonly generation: number
  readonly status: StoredStatus
  /** Ms; null once the round has ended. */
  readonly due: number | null
  /** Claims of this round, interrupted ones included. */
  readonly attempts: number
  /** Attempts of this round in the log; claims beyond it were lost. */
  readonly logged: number
  /** Of the logged attempts, those whose process ended before they were settled. */
  readonly interrupted: number
  readonly createdAt: number
  /** When the round's first POST began, as far as one was settled; the last one is counted from it. */
  readonly firstAttemptAt: number | null
  readonly deliveredAt: number | null
  /** When the round ended, by outbox time; null while it runs. */
  readonly endedAt: number | null
  readonly trigger: 'event' | 'test' | 'replay' | 'verification'
}

export const deliveries: Collection<Delivery> = {
  name: 'deliveries',
  key: ['endpointId', 'messageId'],
  columns: {
    endpointId: 'text',
    messageId: 'text',
    tenantId: 'text',
    applicationId: 'text',
    kind: 'text',
    status: 'text',
    due: 'int',
    attempts: 'int',
    // A settle changes columns alone, so the body is not rewritten.
    logged: 'int',
    interrupted: 'int',
    firstAttemptAt: 'int',
    deliveredAt: 'int',
    endedAt: 'int',
  },
  indexes: {
    byStatus: ['endpointId', 'status'],
    byKind: ['endpointId', 'kind'],
    byApplication: ['applicationId'],
  },
  queue: { lane: 'endpointId', due: 'due', claims: 'attempts' },
  tenant: 'tenantId',
  purge: { part: 'deliveries' },
  outlives: 'goes by its own retention',
  retain: { work: 'messageRetention' },
}

export type AttemptTrigger = 'event' | 'retry' | 'test' | 'replay' | 'verification'

/** One try, as the delivery log shows it; the request's body is the message's. */
export interface AttemptRecord {
  readonly endpointId: string
  readonly attemptId: string
  readonly tenantId: string
  readonly applicationId: string | null
  readonly deliveryId: string
  readonly messageId: string
  readonly type: Message['type']
  readonly family: Family
  /** From 1, within the round. */
  readonly attempt: number
  readonly trigger: AttemptTrigger
  readonly startedAt: number
  readonly latencyMs: number
  readonly outcome: 'delivered' | 'failed'
  readonly error: string | null
  readonly requestHeaders: Readonly<Record<string, string>>
  readonly responseStatus: number | null
  readonly responseHeaders: Readonly<Record<string, string>> | null
  readonly responseBody: Uint8Array | null
  readonly truncated: boolean
}

/** Days for which attempts are kept and listed (interface, Limits). */
export const attemptDays = 7

export const attempts: Collection<AttemptRecord> = {
  name: 'attempts',
  key: ['endpointId', 'attemptId'],
  columns: {
    endpointId: 'text',
    attemptId: 'text',
    messageId: 'text',
    tenantId: 'text',
    applicationId: 'text',
    startedAt: 'int',
  },
  indexes: {
    byMessage: ['endpointId', 'messageId'],
    byApplication: ['applicationId'],
    byAge: ['startedAt'],
  },
  tenant: 'tenantId',
  purge: { part: 'deliveries' },
  outlives: 'goes by its own retention',
  retain: { by: 'startedAt', days: attemptDays },
}
