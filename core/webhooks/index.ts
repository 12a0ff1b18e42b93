export { createWebhookKinds } from './delivery/delivery-kinds.ts'
export { webhookUpkeep } from './delivery/upkeep.ts'
export {
  type MissedWindow,
  type Route,
  type Routing,
  routings,
  type StatusReason,
  type Webhook,
  webhooks,
} from './records.ts'
export { eventTime } from './routing/event-time.ts'
export { fanOut, routingCheck, routingOf } from './routing/fan-out.ts'
export type { WebhookTools } from './tools.ts'
export { type WebhookUseCases, withWritten } from './written.ts'
