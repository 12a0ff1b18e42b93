export { type Webhook, webhooks } from './records.ts'
