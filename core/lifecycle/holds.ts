import { boardPut } from '../erasure/hold-board.ts'
import { holdBoards, legalHolds } from '../erasure/records.ts'
import { isKnown } from '../erasure/subjects.ts'
import type { UnitOfWork } from '../ledger/ledger.ts'
import { get, list, many, one } from '../ledger/reads.ts'
import type { Check, Put } from '../ports/store.ts'

/** Active holds of a tenant that are looked at at once. */
const piece = 500

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
  const [found] = await unit.read([get(holdBoards, [tenantId])])
  const board = one(holdBoards, found)
  const check = { in: holdBoards.name, key: [tenantId], version: board?.version ?? 0 } as const
  const facts = { check, put: boardPut(tenantId, board) }
  for (let skip = 0; ; skip += piece) {
    const [active] = await unit.read([
      list(legalHolds, {
        by: 'byActive',
        where: [
          ['tenantId', '=', tenantId],
          ['active', '=', 1],
        ],
        skip,
        take: piece,
      }),
    ])
    const holds = many(legalHolds, active)
    for (const { row } of holds) {
      if (row.applicationId === applicationId) return { held: true, ...facts }
      if (row.applicationId !== null) continue
      const scope = { tenantId, applicationId, dataSubjectId: row.dataSubjectId }
      if (await isKnown(unit, scope)) return { held: true, ...facts }
    }
    if (holds.length < piece) return { held: false, ...facts }
  }
}
