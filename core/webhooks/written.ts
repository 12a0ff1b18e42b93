import type { Facade } from '../kernel/facade.ts'
import type { Ledger } from '../kernel/ledger/ledger.ts'
import { createDeliveryLogs } from './delivery-logs.ts'
import type { webhookOperations } from './operations.ts'
import { createRecovery } from './replay-deliveries.ts'
import type { WebhookTools } from './tools.ts'

type Opened = Facade<'webhooks', typeof webhookOperations>

/** Webhooks and their deliveries. Each may refuse as `Service` says besides. */
export interface WebhookUseCases
  extends Opened,
    ReturnType<typeof createDeliveryLogs>,
    ReturnType<typeof createRecovery> {}

/**
 * The methods of webhooks with those that are no operations: logs, which are streams, and recoveries, which are many
 * commits.
 */
export function withWritten(
  opened: Opened,
  ports: WebhookTools & { readonly ledger: Ledger },
): WebhookUseCases {
  return { ...opened, ...createDeliveryLogs(ports), ...createRecovery(ports) }
}
