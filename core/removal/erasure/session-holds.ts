import type { Check } from '../../base/ports/store.ts'
import { ofSession, type StoredSession, steps } from '../../content/records.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { list } from '../../kernel/ledger/reads.ts'
import { activeHolds, readBoard } from './hold-board.ts'

/**
 * Whether a hold covers the session's subject or that of one of its steps, but for one subject that is passed over; and
 * the check that relies on it.
 */
export async function holdOnSession(
  unit: UnitOfWork,
  session: StoredSession,
  passed: string | null,
): Promise<{ readonly held: boolean; readonly check: Check }> {
  const { tenantId, applicationId } = session
  const { check } = await readBoard(unit, tenantId)
  const subjects = new Set<string>()
  for await (const hold of activeHolds(unit, tenantId))
    if (hold.applicationId === null || hold.applicationId === applicationId)
      subjects.add(hold.dataSubjectId)
  if (passed !== null) subjects.delete(passed)
  return { held: await namesSubject(unit, session, subjects), check }
}

/** Subjects that one read looks for. */
const subjectPiece = 500

/** Whether the session, or one of its steps, is of one of these subjects. */
export async function namesSubject(
  unit: UnitOfWork,
  session: StoredSession,
  subjects: ReadonlySet<string>,
): Promise<boolean> {
  if (session.dataSubjectId !== null && subjects.has(session.dataSubjectId)) return true
  const { tenantId } = session
  const stepOf = (subject: string) =>
    list(steps, {
      by: 'bySubject',
      where: [
        ['tenantId', '=', tenantId],
        ['subject', '=', subject],
        ...ofSession(session).slice(1),
      ],
      take: 1,
    })
  const all = [...subjects]
  for (let at = 0; at < all.length; at += subjectPiece) {
    const found = await unit.read(all.slice(at, at + subjectPiece).map(stepOf))
    if (found.some(({ rows }) => rows.length > 0)) return true
  }
  return false
}
