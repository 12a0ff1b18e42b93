import { activeHolds, boardIn, boardOf, boardPut } from '../erasure/hold-board.ts'
import { isKnown } from '../erasure/subjects.ts'
import type { UnitOfWork } from '../ledger/ledger.ts'
import type { Check, Put } from '../ports/store.ts'

/** Whether a hold keeps an application, and what makes a decision on that hold until the commit. */
export interface HoldsOfApplication {
  readonly held: boolean
  /** Conflicts with every hold that is placed or released meanwhile. */
  readonly check: Check
  /** As `check`, and makes every hold that is being placed meanwhile look again. */
  readonly put: Put
}

/** Active holds that name the application, or that cover a subject of whom it has data. */
export async function holdsOfApplication(
  unit: UnitOfWork,
  { tenantId, applicationId }: { readonly tenantId: string; readonly applicationId: string },
): Promise<HoldsOfApplication> {
  // Before the holds: one that comes while they are read changes the board.
  const [found] = await unit.read([boardOf(tenantId)])
  const { board, check } = boardIn(found, tenantId)
  const facts = { check, put: boardPut(tenantId, board) }
  for await (const hold of activeHolds(unit, tenantId)) {
    if (hold.applicationId === applicationId) return { held: true, ...facts }
    if (hold.applicationId !== null) continue
    const scope = { tenantId, applicationId, dataSubjectId: hold.dataSubjectId }
    if (await isKnown(unit, scope)) return { held: true, ...facts }
  }
  return { held: false, ...facts }
}
