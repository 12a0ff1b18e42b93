import { listQueue } from './review-queue.ts'
import { readSummary } from './summary.ts'

export { listQueue, type QueuedCase } from './review-queue.ts'
export { readSummary, type SummaryView } from './summary.ts'

/** What the portal reads beside the records themselves. */
export const portalOperations = [readSummary, listQueue] as const
