import type { UnitOfWork } from '../ledger/ledger.ts'
import { get, list, many, one } from '../ledger/reads.ts'
import type { Check } from '../ports/store.ts'
import { ofSession, type StoredSession, steps } from '../sessions/records.ts'
import { holdBoards, legalHolds } from './records.ts'

/** Active holds of a tenant that are looked at at once. */
const holdPiece = 500

/**
 * Whether a hold covers the session's subject or that of one of its steps, but for one subject that is passed over; and
 * the check that relies on it.
 */
export async function holdOnSession(
  unit: UnitOfWork,
  session: StoredSession,
  passed: string | null,
): Promise<{ readonly held: boolean; readonly checks: readonly Check[] }> {
  const { tenantId, applicationId } = session
  // Before the holds: one that comes while they are read changes the board.
  const [board] = await unit.read([get(holdBoards, [tenantId])])
  const version = one(holdBoards, board)?.version ?? 0
  const checks = [{ in: holdBoards.name, key: [tenantId], version } as const]
  for (let skip = 0; ; skip += holdPiece) {
    const [active] = await unit.read([
      list(legalHolds, {
        by: 'byActive',
        where: [
          ['tenantId', '=', tenantId],
          ['active', '=', 1],
        ],
        skip,
        take: holdPiece,
      }),
    ])
    const holds = many(legalHolds, active)
    const subjects = holds
      .filter(({ row }) => row.applicationId === null || row.applicationId === applicationId)
      .map(({ row }) => row.dataSubjectId)
      .filter((subject) => subject !== passed)
    if (await namesSubject(unit, session, subjects)) return { held: true, checks }
    if (holds.length < holdPiece) return { held: false, checks }
  }
}

/** Whether the session, or one of its steps, is of one of these subjects. */
export async function namesSubject(
  unit: UnitOfWork,
  session: StoredSession,
  subjects: readonly string[],
): Promise<boolean> {
  if (subjects.some((subject) => subject === session.dataSubjectId)) return true
  const { tenantId } = session
  const found = await unit.read(
    subjects.map((subject) =>
      list(steps, {
        by: 'bySubject',
        where: [
          ['tenantId', '=', tenantId],
          ['subject', '=', subject],
          ...ofSession(session).slice(1),
        ],
        take: 1,
      }),
    ),
  )
  return found.some(({ rows }) => rows.length > 0)
}
