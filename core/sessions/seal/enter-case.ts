import type { Sha256 } from '../../base/canonical/digest.ts'
import { type CaseSeal, caseSeals } from '../../content/seal-records.ts'
import { handler, type WorkHandler } from '../../kernel/work/handler.ts'
import type { Primitives } from '../../proof/signing/primitives.ts'
import { caseRecordOf, caseSealKind } from '../../review/case-record.ts'
import { type CaseWithoutTexts, caseWithoutTexts } from '../../review/records.ts'
import { sealAfter, sealDelayMs, sealKind, workItem } from '../work-kinds.ts'
import { leafOf } from './record.ts'

/** Enters a case that has ended among those that wait for their application's next batch. */
export function createCaseEntering({
  primitives: { sha256 },
}: {
  readonly primitives: Pick<Primitives, 'sha256'>
}): WorkHandler {
  return handler({
    kind: caseSealKind,
    of: 'application',
    run: async (unit, { ref, tenantId, applicationId }) => {
      // A case that has moved to another session is entered with that one.
      const { was, seal, waiting } = await unit.ask({
        was: caseWithoutTexts(ref),
        seal: caseSeals.get(ref),
        waiting: workItem(sealKind, applicationId),
      })
      const entered = was && waitingSeal(was.row, unit.now, sha256)
      if (!entered || seal) return null
      unit.put(caseSeals, entered)
      // From its end on, however long this run was waited for.
      const due = (was.row.closedAt ?? unit.now) + sealDelayMs
      unit.include(sealAfter({ tenantId, applicationId }, due, waiting))
      return null
    },
  })
}

/** The seal of a closed case that waits for a batch; null for a case that is open. `hash`: as of `leafOf`. */
export function waitingSeal(review: CaseWithoutTexts, now: number, hash?: Sha256): CaseSeal | null {
  const record = caseRecordOf(review)
  if (!record) return null
  const { reviewCaseId, tenantId, applicationId, sessionId } = record
  return {
    reviewCaseId,
    tenantId,
    applicationId,
    sessionId,
    leafHash: leafOf(record, hash),
    batchId: null,
    leafIndex: null,
    sealedAt: null,
    sealDue: now,
  }
}
