import { channelKinds } from '@countersign/core'
import { longest, most } from '@countersign/core/ledger'
import * as z from 'zod'

const webhookUrl = z.string().min(1).max(longest.url)
const eventTypes = z.array(z.string().min(1).max(longest.eventType)).min(1).max(most.eventTypes)

export const createChannel = z.strictObject({
  kind: z.enum(channelKinds),
  webhookUrl,
  eventTypes,
  enabled: z.boolean().optional(),
})

export const updateChannel = z.strictObject({
  webhookUrl: webhookUrl.optional(),
  eventTypes: eventTypes.optional(),
  enabled: z.boolean().optional(),
})
