import type { Check, Put } from '../../base/ports/store.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { activeHolds, boardPut, readBoard } from '../erasure/hold-board.ts'
import { isKnown } from '../erasure/subjects.ts'

/** The applications that a hold keeps, and what a commit needs to rely on that. */
export interface HoldsOfApplications {
  readonly held: ReadonlySet<string>
  /** Conflicts with every hold that is placed or released before the commit. */
  readonly check: Check
  /** As `check`, and conflicts with every hold that is being placed, which then looks again. */
  readonly put: Put
}

/** Those of a tenant's applications that an active hold names, or that have data of a subject that it covers. */
export async function holdsOfApplications(
  unit: UnitOfWork,
  tenantId: string,
  applicationIds: readonly string[],
): Promise<HoldsOfApplications> {
  const { board, check } = await readBoard(unit, tenantId)
  const held = new Set<string>()
  for await (const { applicationId: of, dataSubjectId } of activeHolds(unit, tenantId)) {
    const free = applicationIds.filter((id) => !held.has(id))
    if (free.length === 0) break
    for (const applicationId of free)
      if (
        of === applicationId ||
        (of === null && (await isKnown(unit, { tenantId, applicationId, dataSubjectId })))
      )
        held.add(applicationId)
  }
  return { held, check, put: boardPut(tenantId, board) }
}
