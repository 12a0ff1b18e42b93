import type { UnitOfWork } from '../ledger/ledger.ts'
import { get, one, put } from '../ledger/reads.ts'
import type { ChangeSet, Key } from '../ports/store.ts'
import { sessionSubject } from '../privacy/pseudonym.ts'
import { subjectKeys } from '../privacy/records.ts'
import { keyOfSubject } from '../privacy/subject-key.ts'
import type { StoredSession } from '../sessions/records.ts'
import { holdOn, holdReads } from './holds.ts'
import { hasOtherData } from './subjects.ts'

type Changes = Omit<ChangeSet, 'tenant'>

/**
 * Keys that nothing lies under once a session is gone: its own is removed; its subject's, where it was their last, is
 * marked and told as `retiring`, since another session of the subject may come at any moment.
 */
export async function unusedKeys(
  unit: UnitOfWork,
  { tenantId, applicationId, sessionId, dataSubjectId }: StoredSession,
): Promise<Required<Pick<Changes, 'puts' | 'removes'>> & { readonly retiring: Key | null }> {
  const owner = { tenantId, applicationId }
  const scope = dataSubjectId === null ? null : { ...owner, dataSubjectId }
  const last = scope && !(await hasOtherData(unit, scope, sessionId)) ? scope : null
  const ownKey = keyOfSubject(owner, sessionSubject(sessionId).subjectId)
  const subjectKey = last && keyOfSubject(owner, last.dataSubjectId)
  const [foundOwn, foundSubject] = await unit.read(
    [ownKey, subjectKey].flatMap((key) => (key ? get(subjectKeys, key) : [])),
  )
  const own = one(subjectKeys, foundOwn)
  const was = one(subjectKeys, foundSubject)
  return {
    removes: own ? [{ in: subjectKeys.name, key: ownKey, version: own.version }] : [],
    puts: was ? [put(subjectKeys, { ...was.row, retiring: true }, was)] : [],
    retiring: was && subjectKey,
  }
}

/** Removes a key that was marked, unless it is in use again or held: what seals under it takes the mark back. */
export async function removeRetired(unit: UnitOfWork, key: Key): Promise<Changes> {
  const [found] = await unit.read([get(subjectKeys, key)])
  const was = one(subjectKeys, found)
  if (!was?.row.retiring) return {}
  const { tenantId, applicationId, subjectId: dataSubjectId } = was.row
  const scope = { tenantId, applicationId, dataSubjectId }
  const { held, check } = holdOn(await unit.read(holdReads(scope)), scope)
  if (held || (await hasOtherData(unit, scope, null))) return {}
  return { checks: [check], removes: [{ in: subjectKeys.name, key, version: was.version }] }
}
