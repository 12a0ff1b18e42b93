import type { UnitOfWork } from '../ledger/ledger.ts'
import { get, list, many, one } from '../ledger/reads.ts'
import { type StoredSession, sessions, steps, stepsAfter } from '../sessions/records.ts'
import { holdOn, holdReads } from './hold-board.ts'
import { legalHolds } from './records.ts'
import { holdOnSession } from './session-holds.ts'
import { type SubjectScope, sessionKey } from './subjects.ts'

/** Steps that one read brings. */
const stepPiece = 500

/**
 * Whether a hold on somebody else keeps content that is theirs and the subject's: the text of a submission that names
 * both, or what steps without a subject hold in a session that was the one's and is the other's. Such content goes with
 * the first of them that is erased, so their holds keep it (decision 94).
 */
export async function isHeldWithOthers(
  unit: UnitOfWork,
  scope: SubjectScope,
  owners: readonly Pick<StoredSession, 'applicationId' | 'sessionId'>[],
): Promise<boolean> {
  const { tenantId, dataSubjectId } = scope
  const [anyHold] = await unit.read([
    list(legalHolds, {
      by: 'byActive',
      where: [
        ['tenantId', '=', tenantId],
        ['active', '=', 1],
      ],
      take: 1,
    }),
  ])
  if (!one(legalHolds, anyHold)) return false
  for (const owner of owners) {
    const [found] = await unit.read([get(sessions, sessionKey({ tenantId, ...owner }))])
    const session = one(sessions, found)?.row
    if (!session || session.removing || !(await holdOnSession(unit, session, dataSubjectId)).held)
      continue
    if (session.payloads.some(({ field, length }) => field === 'submission' && length > 0))
      return true
    for (const other of await sharedWith(unit, session, dataSubjectId)) {
      const theirs = { ...session, dataSubjectId: other }
      if (holdOn(await unit.read(holdReads(theirs)), theirs).held) return true
    }
  }
  return false
}

/** Who else has a part in what the session's steps without a subject hold of this one. */
async function sharedWith(
  unit: UnitOfWork,
  session: StoredSession,
  dataSubjectId: string,
): Promise<ReadonlySet<string>> {
  const others = new Set<string>()
  for (let after: string | null = null; ; ) {
    const [found] = await unit.read([stepsAfter(session, after, stepPiece)])
    const rows = many(steps, found)
    for (const { row } of rows) {
      if (row.dataSubjectId !== null) continue
      for (const { subject, length } of row.payloads) {
        if (length === 0) continue
        if (session.dataSubjectId === dataSubjectId) others.add(subject)
        else if (subject === dataSubjectId && session.dataSubjectId !== null)
          others.add(session.dataSubjectId)
      }
    }
    const last = rows.at(-1)
    if (!last || rows.length < stepPiece) break
    after = last.row.place
  }
  others.delete(dataSubjectId)
  return others
}
