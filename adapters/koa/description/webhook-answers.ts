import { recoverBy } from '@countersign/core'
import { catalogue } from '@countersign/core/events'
import * as z from 'zod'
import { anything, count, cursor, method, paging, position, time, trigger } from './answer-parts.ts'

// What operations on webhooks, their deliveries and keys answer with.

const eventType = z.enum(keysOf(catalogue))

export const webhookAnswer = z.strictObject({
  id: z.string(),
  url: z.string(),
  eventTypes: z.array(z.union([eventType, z.literal('*')])),
  description: z.string().nullable(),
  status: z.enum(['receiving', 'turned_off']),
  statusReason: z.enum(['endpoint_gone', 'retries_exhausted', 'owner']).nullable(),
  turnedOffAt: time.nullable(),
  signing: z.strictObject({
    method,
    keyVersion: count,
    publicKey: z.string().nullable(),
    nextPublicKey: z.string().nullable(),
    nextSignsFrom: time.nullable(),
    hasSecret: z.boolean(),
    previousSecretValidUntil: time.nullable(),
    secret: z.string().exactOptional(),
  }),
  verification: z.strictObject({
    state: z.enum(['pending', 'verified', 'failed']),
    requestedAt: time,
    verifiedAt: time.nullable(),
  }),
  createdAt: time,
  updatedAt: time,
})

export const webhooksAnswer = z.strictObject({ webhooks: z.array(webhookAnswer), ...paging })

export const removedWebhookAnswer = z.strictObject({ id: z.string(), deleted: z.literal(true) })

const headers = z.record(z.string(), z.string())

export const deliveryLogAnswer = z.strictObject({
  attemptId: z.string(),
  deliveryId: z.string(),
  eventId: z.string(),
  eventType: z.string(),
  family: z.enum(['standard', 'legacy']),
  attempt: position,
  trigger,
  startedAt: time,
  latencyMs: z.number().min(0),
  outcome: z.enum(['delivered', 'failed']),
  error: z.string().nullable(),
  requestHeaders: headers,
  requestBody: z.string(),
  responseStatus: z.int().nullable(),
  responseHeaders: headers.nullable(),
  responseBody: z.string().nullable(),
  truncated: z.boolean(),
})

export const deliveryLogsAnswer = z.union([
  z.strictObject({ deliveryLogs: z.array(deliveryLogAnswer), ...paging }),
  z.strictObject({ rows: z.array(deliveryLogAnswer), ...cursor }),
])

const results = z.array(
  z.strictObject({
    eventId: z.string(),
    result: z.enum(['replayed', 'already_delivered', 'in_progress']),
  }),
)
export const replayAnswer = z.strictObject({ results })
export const recoveryAnswer = z.strictObject({
  selected: z.strictObject({
    by: z.enum(recoverBy),
    from: time,
    until: time,
    types: z.array(z.string()).nullable(),
  }),
  results,
})

export const reviewEventAnswer = z.strictObject({
  event: anything,
  deliveryStatus: z.enum([
    'pending',
    'delivering',
    'retry_scheduled',
    'delivered',
    'dead_lettered',
  ]),
  deliveredAt: time.nullable(),
})

export const reviewEventPageAnswer = z.strictObject({
  subscriptionId: z.string(),
  events: z.array(reviewEventAnswer),
  ...paging,
})

export const reviewEventsAnswer = z.union([
  reviewEventPageAnswer,
  z.strictObject({ rows: z.array(reviewEventAnswer), ...cursor }),
])

/** A JWK set (RFC 7517). */
export const keySetAnswer = z.strictObject({
  keys: z.array(
    z.strictObject({
      kty: z.literal('OKP'),
      crv: z.literal('Ed25519'),
      x: z.string(),
      kid: z.string(),
      use: z.literal('sig'),
      alg: z.literal('EdDSA'),
    }),
  ),
})

function keysOf<T extends object>(table: T): (keyof T & string)[] {
  return Object.keys(table).filter((key): key is keyof T & string => key in table)
}
