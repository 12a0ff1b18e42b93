import { readNotices, setNotices } from '../notices/operations.ts'
import { queueChanges } from './open-cases.ts'
import { listQueue } from './review-queue.ts'
import { readStatistics } from './statistics.ts'
import { readSummary, webhookChanges } from './summary.ts'

export { type NoticesView, readNotices, setNotices } from '../notices/operations.ts'
export { listQueue, type QueuedCase } from './review-queue.ts'
export { type ReviewStatistics, readStatistics } from './statistics.ts'
export { readSummary, type SummaryView } from './summary.ts'

/** What the portal reads beside the records themselves. */
export const portalOperations = [
  readSummary,
  listQueue,
  readStatistics,
  readNotices,
  setNotices,
] as const

/** Changes that a store counts for them. */
export const portalChanges = [queueChanges, webhookChanges] as const
