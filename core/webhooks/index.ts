export { createWebhooks } from './create-webhooks.ts'
export { eventTime } from './event-time.ts'
export { fanOut, type Outgoing, routingCheck, routingOf } from './fan-out.ts'
export { createWebhookKinds } from './kinds.ts'
export type { WebhookPorts } from './ports.ts'
export {
  type MissedWindow,
  type Route,
  type Routing,
  routings,
  type StatusReason,
  type Webhook,
  webhooks,
} from './records.ts'
export { issuerKeyUpkeep } from './rotate-keys.ts'
export { webhookUpkeep } from './upkeep.ts'
export type { WebhookUseCases } from './use-cases.ts'
