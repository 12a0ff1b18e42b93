import { get, list, many, one, put } from '../ledger/reads.ts'
import type { Check, Found, Put, Read, Versioned } from '../ports/store.ts'
import { type HoldBoard, holdBoards, legalHolds } from './records.ts'
import type { SubjectScope } from './subjects.ts'

/** Active holds of one subject that are looked at; one is enough to block. */
const mostHolds = 1_000

/** The reads whose answers `holdOn` takes. */
export function holdReads({
  tenantId,
  dataSubjectId,
}: Omit<SubjectScope, 'applicationId'>): readonly [Read, Read] {
  return [
    get(holdBoards, [tenantId]),
    list(legalHolds, {
      by: 'bySubject',
      where: [
        ['tenantId', '=', tenantId],
        ['dataSubjectId', '=', dataSubjectId],
        ['active', '=', 1],
      ],
      take: mostHolds,
    }),
  ]
}

/**
 * Whether a hold covers a subject in an application, or in any for null; the check that relies on it, and the board that
 * it checks.
 */
export function holdOn(
  found: readonly (Found | undefined)[],
  { tenantId, applicationId }: Pick<SubjectScope, 'tenantId' | 'applicationId'>,
): {
  readonly held: boolean
  readonly check: Check
  readonly board: Versioned<HoldBoard> | null
} {
  const board = one(holdBoards, found[0])
  const held = many(legalHolds, found[1]).some(
    ({ row }) =>
      row.applicationId === null || applicationId === null || row.applicationId === applicationId,
  )
  const check = { in: holdBoards.name, key: [tenantId], version: board?.version ?? 0 } as const
  return { held, check, board }
}

/** The put of the tenant's board with one change more. */
export function boardPut(tenantId: string, was: Versioned<HoldBoard> | null): Put {
  return put(holdBoards, { tenantId, changes: (was?.row.changes ?? 0) + 1 }, was)
}
