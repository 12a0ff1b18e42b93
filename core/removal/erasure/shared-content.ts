import type { Check } from '../../base/ports/store.ts'
import { type StoredSession, sessions } from '../../content/records.ts'
import { subjectKeys } from '../../content/vault/records.ts'
import { keyOfSubject } from '../../content/vault/subject-key.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { get, list, one } from '../../kernel/ledger/reads.ts'
import { holdOn, holdReads, readBoard } from './hold-board.ts'
import { legalHolds } from './records.ts'
import { holdOnSession, stepsIn } from './session-holds.ts'
import { type SubjectScope, sessionKey } from './subjects.ts'

/**
 * Whether a hold on somebody else keeps content that is theirs and the subject's: the text of a submission that names
 * both, or what steps without a subject hold in a session that was the one's and is the other's. Such content goes with
 * the first of them that is erased, so their holds keep it (decision 94). What has lost its key is nobody's any more.
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
    const texts = session.payloads.filter(
      ({ field, length }) => field === 'submission' && length > 0,
    )
    if ((await withKeys(unit, session, new Set(texts.map((each) => each.subject)))).size > 0)
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
  const isOwn = session.dataSubjectId === dataSubjectId
  const subjects = new Set<string>()
  for await (const step of stepsIn(unit, session)) {
    if (step.dataSubjectId !== null) continue
    for (const { subject, length } of step.payloads)
      if (length > 0 && isOwn !== (subject === dataSubjectId)) subjects.add(subject)
  }
  if (isOwn) return withKeys(unit, session, subjects)
  const hers = subjects.has(dataSubjectId) ? new Set([dataSubjectId]) : new Set<string>()
  const { size } = await withKeys(unit, session, hers)
  return new Set(size > 0 && session.dataSubjectId !== null ? [session.dataSubjectId] : [])
}

/** Those of the vault's subjects that have a key in the session's application. */
async function withKeys(
  unit: UnitOfWork,
  session: StoredSession,
  subjects: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  const all = [...subjects]
  const found = await unit.read(all.map((each) => get(subjectKeys, keyOfSubject(session, each))))
  return new Set(all.filter((_, at) => one(subjectKeys, found[at])))
}

/**
 * As `isHeldWithOthers`, for a piece of an erasure that has begun: a hold may have come since. With the check that relies
 * on none coming before the commit.
 */
export async function heldSince(
  unit: UnitOfWork,
  scope: SubjectScope,
  owners: readonly Pick<StoredSession, 'applicationId' | 'sessionId'>[],
): Promise<{ readonly held: boolean; readonly check: Check }> {
  const { check } = await readBoard(unit, scope.tenantId)
  return { held: await isHeldWithOthers(unit, scope, owners), check }
}
