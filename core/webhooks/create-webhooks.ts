import type { Outcomes } from '../outbox/kind.ts'
import type { Clock } from '../ports/clock.ts'
import { type CommandPorts, createWebhookCommands } from './commands.ts'
import { createWebhookQueries } from './queries.ts'
import { createRecovery } from './recovery.ts'
import { createKeyRotation } from './rotate-keys.ts'
import { createTestSender } from './send-test.ts'
import type { WebhookUseCases } from './use-cases.ts'

/** Everything that members do with webhooks; `intake` and `outcomes` are the dispatcher's. */
export function createWebhooks(
  ports: CommandPorts & { readonly clock: Clock; readonly outcomes: Outcomes },
): WebhookUseCases {
  return {
    ...createWebhookCommands(ports),
    ...createWebhookQueries(ports),
    ...createTestSender(ports),
    ...createRecovery(ports),
    ...createKeyRotation(ports),
  }
}
