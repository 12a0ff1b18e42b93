import type { Check } from '../../base/ports/store.ts'
import {
  type SessionKey,
  type StoredSession,
  type StoredStep,
  steps,
  stepsAfter,
} from '../../content/records.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { many } from '../../kernel/ledger/reads.ts'
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

/** Steps that one read brings. */
const stepPiece = 500

/** The steps of a session in order, read in pieces as they are asked for. */
export async function* stepsIn(
  unit: UnitOfWork,
  session: SessionKey,
): AsyncGenerator<StoredStep, void, undefined> {
  for (let after: string | null = null; ; ) {
    const [found] = await unit.read([stepsAfter(session, after, stepPiece)])
    const rows = many(steps, found)
    for (const { row } of rows) yield row
    const last = rows.at(-1)
    if (!last || rows.length < stepPiece) return
    after = last.row.place
  }
}

/**
 * Whether the session, or one of its steps, is of one of these subjects. Looks at the session's own steps: those of a
 * subject lie in any number of other sessions, and no index leads to both.
 */
export async function namesSubject(
  unit: UnitOfWork,
  session: StoredSession,
  subjects: ReadonlySet<string>,
): Promise<boolean> {
  if (subjects.size === 0) return false
  if (session.dataSubjectId !== null && subjects.has(session.dataSubjectId)) return true
  for await (const { subject } of stepsIn(unit, session))
    if (subject !== null && subjects.has(subject)) return true
  return false
}
