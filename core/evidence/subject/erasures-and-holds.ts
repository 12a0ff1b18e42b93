import type { Where } from '../../base/ports/store.ts'
import { rowsOf } from '../../kernel/ledger/pages.ts'
import {
  type ErasureView,
  erasureRequests,
  erasureView,
  type HoldView,
  holdView,
  legalHolds,
} from '../../removal/erasure/records.ts'
import { withheld } from './portable.ts'
import type { SubjectData } from './subject-data.ts'

/** Erasure requests of a subject, those under way first. */
export async function* erasuresOf(
  subject: Pick<SubjectData, 'reader' | 'tenant' | 'dataSubjectId'>,
  portalUrl: string,
): AsyncGenerator<ErasureView, void, undefined> {
  for (const underWay of [1, 0]) {
    const where: Where = [...ofSubject(subject), ['underWay', '=', underWay]]
    for await (const row of rowsOf(subject.reader, erasureRequests, { where, by: 'bySubject' }))
      yield { ...erasureView(row, portalUrl), requestedBy: withheld }
  }
}

/** Legal holds of a subject, the active first; their matters may name others and are withheld. */
export async function* holdsOf(
  subject: Pick<SubjectData, 'reader' | 'tenant' | 'dataSubjectId'>,
): AsyncGenerator<HoldView, void, undefined> {
  for (const active of [1, 0]) {
    const where: Where = [...ofSubject(subject), ['active', '=', active]]
    for await (const row of rowsOf(subject.reader, legalHolds, { where, by: 'bySubject' })) {
      const hold = holdView(row)
      yield {
        ...hold,
        matter: withheld,
        placedBy: withheld,
        releasedBy: hold.releasedBy && withheld,
        releaseReason: hold.releaseReason && withheld,
      }
    }
  }
}

function ofSubject({
  tenant,
  dataSubjectId,
}: Pick<SubjectData, 'tenant' | 'dataSubjectId'>): Where {
  return [
    ['tenantId', '=', tenant.tenantId],
    ['dataSubjectId', '=', dataSubjectId],
  ]
}
