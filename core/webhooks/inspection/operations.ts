import { listDeliveries } from './list-deliveries.ts'
import { missedWindows } from './missed-windows.ts'
import { readDelivery } from './read-delivery.ts'
import { webhookStatistics } from './statistics.ts'

/** What integrators look into when a webhook fails (interface, Deliveries). */
export const inspectionOperations = [
  listDeliveries,
  readDelivery,
  missedWindows,
  webhookStatistics,
] as const
