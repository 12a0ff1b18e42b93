import { createChannelKinds } from './channels/channel-kinds.ts'
import { channelOperations } from './channels/operations.ts'
import { notificationChannels, sealedChannelUrls } from './channels/records.ts'
import { createWebhookKinds } from './delivery/delivery-kinds.ts'
import { messageRetention } from './delivery/message-retention.ts'
import { webhookUpkeep } from './delivery/upkeep.ts'
import { countAttempts } from './inspection/count-attempts.ts'
import { deliveryHours } from './inspection/delivery-hours.ts'
import { webhookOperations } from './operations.ts'
import { routings, webhooks } from './records.ts'
import { reviewEventOperations } from './review-events.ts'
import { createHorizonReset } from './routing/reset-horizons.ts'
import { sealedSecrets } from './secrets/secrets.ts'

/** What this room contributes to the service. */
export const room = {
  tables: [webhooks, routings, notificationChannels, deliveryHours],
  sealed: [sealedSecrets, sealedChannelUrls],
  groups: {
    notificationChannels: channelOperations,
    reviewEvents: reviewEventOperations,
    webhooks: webhookOperations,
  } as const,
  kinds: (
    host: Parameters<typeof createWebhookKinds>[0] & Parameters<typeof createChannelKinds>[0],
  ) => [...createWebhookKinds(host), ...createChannelKinds(host)],
  handlers: (host: Parameters<typeof createHorizonReset>[0]) => [
    webhookUpkeep,
    createHorizonReset(host),
    messageRetention,
    countAttempts,
  ],
}
