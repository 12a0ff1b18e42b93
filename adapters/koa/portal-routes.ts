import {
  listQueue,
  readNotices,
  readStatistics,
  readSummary,
  setNotices,
} from '@countersign/core/operations'
import { statisticsTag, summaryTag } from './answer-tag.ts'
import { http } from './bind/http.ts'
import type { Route } from './operation.ts'

/** What browsers poll, and what pages show beside records themselves. */
export const portalRoutes: readonly Route[] = [
  http(readSummary, 'GET', '/v1/portal/summary', { tag: summaryTag }),
  http(listQueue, 'GET', '/v1/portal/review-queue'),
  http(readStatistics, 'GET', '/v1/portal/review-statistics', { tag: statisticsTag }),
  http(readNotices, 'GET', '/v1/portal/notices'),
  http(setNotices, 'PUT', '/v1/portal/notices'),
]
