import type { Check } from '../../base/ports/store.ts'
import {
  ofSession,
  type SessionKey,
  type StoredSession,
  type StoredStep,
  steps,
  stepsAfter,
} from '../../content/records.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { list, many } from '../../kernel/ledger/reads.ts'
import { casesNaming, reviewCases } from '../../review/records.ts'
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
 * Whether the session, one of its steps or one of its cases is of one of these subjects. Looks at the session's own steps: those of a
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
  return namesInCase(unit, session, subjects)
}

/** Subjects that one read looks for. */
const subjectPiece = 500

/** Whether the opening of a case of the session named one of these subjects; cases may hold megabytes, and are counted. */
async function namesInCase(
  unit: UnitOfWork,
  session: SessionKey,
  subjects: ReadonlySet<string>,
): Promise<boolean> {
  const { sessionId } = session
  const where = [...ofSession(session), ['dataSubjectId', '>', ''] as const]
  const [naming] = await unit.read([
    list(reviewCases, { by: 'byCheckpoint', where, take: 0, count: 1 }),
  ])
  if (!naming?.total) return false
  const all = [...subjects]
  for (let at = 0; at < all.length; at += subjectPiece) {
    const found = await unit.read(
      all.slice(at, at + subjectPiece).map((dataSubjectId) => {
        const { by, where: named } = casesNaming({ ...session, dataSubjectId })
        const inSession = [...named, ['sessionId', '=', sessionId] as const]
        return list(reviewCases, { by, where: inSession, take: 0, count: 1 })
      }),
    )
    if (found.some(({ total }) => total)) return true
  }
  return false
}
