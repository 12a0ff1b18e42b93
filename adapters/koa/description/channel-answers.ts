import { channelKinds } from '@countersign/core'
import * as z from 'zod'
import { paging, time } from './answer-parts.ts'
import { webhookAnswer } from './webhook-answers.ts'

// What operations on chat channels answer with.

export const channelAnswer = z.strictObject({
  channelId: z.string(),
  kind: z.enum(channelKinds),
  webhookUrl: z.string(),
  eventTypes: webhookAnswer.shape.eventTypes,
  enabled: z.boolean(),
  state: z.enum(['active', 'turned_off']),
  lastError: z.string().nullable(),
  createdAt: time,
  updatedAt: time,
})

export const channelsAnswer = z.strictObject({
  notificationChannels: z.array(channelAnswer),
  ...paging,
})

export const removedChannelAnswer = z.strictObject({
  channelId: z.string(),
  deleted: z.literal(true),
})

export const channelTestAnswer = z.strictObject({
  outcome: z.enum(['delivered', 'failed']),
  responseStatus: z.int().nullable(),
  error: z.string().nullable(),
})
