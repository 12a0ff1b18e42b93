import { createWebhookCommands } from './commands.ts'
import type { WebhookPorts } from './ports.ts'
import { createWebhookQueries } from './queries.ts'
import { createRecovery } from './recovery.ts'
import { createKeyRotation } from './rotate-keys.ts'
import { createTestSender } from './send-test.ts'
import type { WebhookUseCases } from './use-cases.ts'

/** Everything that members do with webhooks. */
export function createWebhooks(ports: WebhookPorts): WebhookUseCases {
  return {
    ...createWebhookCommands(ports),
    ...createWebhookQueries(ports),
    ...createTestSender(ports),
    ...createRecovery(ports),
    ...createKeyRotation(ports),
  }
}
