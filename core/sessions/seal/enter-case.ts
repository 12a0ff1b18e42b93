import { type CaseSeal, caseSeals } from '../../content/seal-records.ts'
import { put, unchanged } from '../../kernel/ledger/reads.ts'
import { askedOf } from '../../kernel/query.ts'
import { mergedParts } from '../../kernel/unit.ts'
import type { WorkHandler } from '../../kernel/work/handler.ts'
import { caseRecordOf, caseSealKind } from '../../review/case-record.ts'
import { type ReviewCase, reviewCases } from '../../review/records.ts'
import { sealAfter, sealDelayMs, sealKind, workItem } from '../work-kinds.ts'
import { leafOf } from './record.ts'

/** Enters a case that has ended among those that wait for their application's next batch. */
export const caseEntering: WorkHandler = {
  kind: caseSealKind,
  run: async (item, unit) => {
    const { tenantId, applicationId } = item
    if (tenantId === null || applicationId === null) return { next: null }
    const { was, seal, waiting } = await askedOf(unit, {
      was: reviewCases.get(item.ref),
      seal: caseSeals.get(item.ref),
      waiting: workItem(sealKind, applicationId),
    })
    const entered = was && waitingSeal(was.row, unit.now)
    if (!entered || seal) return { next: null }
    const parts = [
      // A case that moves to another session meanwhile is entered with that one.
      { puts: [put(caseSeals, entered, null)], checks: [unchanged(reviewCases, was)] },
      sealAfter({ tenantId, applicationId }, unit.now + sealDelayMs, waiting),
    ]
    return { set: mergedParts(parts), next: null }
  },
}

/** The seal of a closed case that waits for a batch; null for a case that is open. */
export function waitingSeal(review: ReviewCase, now: number): CaseSeal | null {
  const record = caseRecordOf(review)
  if (!record) return null
  const { reviewCaseId, tenantId, applicationId, sessionId } = record
  return {
    ...{ reviewCaseId, tenantId, applicationId, sessionId, leafHash: leafOf(record) },
    ...{ batchId: null, leafIndex: null, sealedAt: null, sealDue: now },
  }
}
