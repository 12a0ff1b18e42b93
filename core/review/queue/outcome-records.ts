import type { Put } from '../../base/ports/store.ts'
import { longest } from '../../kernel/ledger/limits.ts'
import { put } from '../../kernel/ledger/reads.ts'
import { line, oneOf, type RowsOf } from '../../kernel/shape.ts'
import { table } from '../../kernel/table.ts'
import { orNull } from '../../kernel/wrap.ts'
import { viewedMs } from '../inputs.ts'
import type { ReviewCase } from '../records.ts'
import { caseMembers } from '../shapes.ts'

/** Days for which the end of a case is counted. */
export const statisticDays = 90

const { createdAt: time, reviewTier } = caseMembers
const id = line(longest.id)

/** How cases ended, a small row each: cases themselves may hold megabytes. It names nobody but the reviewer. */
export const caseOutcomes = table({
  name: 'caseOutcomes',
  members: {
    tenantId: id,
    closedAt: time,
    reviewCaseId: id,
    applicationId: id,
    reviewTier,
    decision: oneOf(['approved', 'rejected', 'response_submitted', 'cancelled', 'expired']),
    /** Who decided it; null where nobody did. */
    reviewerId: orNull(id),
    /** Ms for which they had it in view, as their browser told; null where it told none. */
    viewedMs: orNull(viewedMs),
    createdAt: time,
  },
  key: ['tenantId', 'closedAt', 'reviewCaseId'],
  indexes: { byApplication: ['applicationId'], byAge: ['closedAt'] },
  tenant: 'tenantId',
  purge: { application: 'applicationId' },
  retain: { by: 'closedAt', days: statisticDays },
})
/** How a case ended. */
export interface CaseOutcome extends RowsOf<typeof caseOutcomes.members> {}

/** The row of a case that ends with this commit. */
export function outcomePut(review: ReviewCase): readonly Put[] {
  const { decision, closedAt } = review
  if (closedAt === null || decision === null || decision === 'follow_up_required') return []
  const { tenantId, reviewCaseId, applicationId, reviewTier, decidedBy, createdAt } = review
  const row = { tenantId, closedAt, reviewCaseId, applicationId, reviewTier, decision, createdAt }
  const viewedMs = review.viewedMs ?? null
  return [put(caseOutcomes, { ...row, reviewerId: decidedBy, viewedMs }, null)]
}
