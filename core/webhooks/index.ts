export { createWebhooks } from './create-webhooks.ts'
export { createWebhookKinds } from './delivery/delivery-kinds.ts'
export { webhookUpkeep } from './delivery/upkeep.ts'
export type { WebhookDeps } from './deps.ts'
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
export type { WebhookUseCases } from './use-cases.ts'
