import { createKeyRotation } from '../keys/rotate-keys.ts'
import { createWebhookCommands } from './commands.ts'
import type { WebhookDeps } from './deps.ts'
import { createWebhookQueries } from './queries.ts'
import { createRecovery } from './replay-deliveries.ts'
import { createTestSender } from './send-test.ts'
import type { WebhookUseCases } from './use-cases.ts'

/** Everything that members do with webhooks. */
export function createWebhooks(ports: WebhookDeps): WebhookUseCases {
  return {
    ...createWebhookCommands(ports),
    ...createWebhookQueries(ports),
    ...createTestSender(ports),
    ...createRecovery(ports),
    ...createKeyRotation(ports),
  }
}
