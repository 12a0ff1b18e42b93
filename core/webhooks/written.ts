import type { Facade } from '../kernel/facade.ts'
import { createDeliveryLogs } from './delivery-logs.ts'
import type { webhookOperations } from './operations.ts'
import { createRecovery } from './replay-deliveries.ts'

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
  ports: Parameters<typeof createDeliveryLogs>[0] & Parameters<typeof createRecovery>[0],
): WebhookUseCases {
  return { ...opened, ...createDeliveryLogs(ports), ...createRecovery(ports) }
}
