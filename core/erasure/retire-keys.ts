import type { UnitOfWork } from '../ledger/ledger.ts'
import { get, one, put } from '../ledger/reads.ts'
import type { ChangeSet } from '../ports/store.ts'
import { subjectKeys } from '../privacy/records.ts'
import { keyOfSubject } from '../privacy/subject-key.ts'
import { holdOn, holdReads } from './holds.ts'
import { hasData, type SubjectScope } from './subjects.ts'

type Changes = Omit<ChangeSet, 'tenant'>

/** The removal of keys under which nothing lies any more; those that there are. */
export async function removedKeys(
  unit: UnitOfWork,
  owner: { readonly tenantId: string; readonly applicationId: string },
  subjectIds: readonly string[],
): Promise<NonNullable<Changes['removes']>> {
  const keys = subjectIds.map((subjectId) => keyOfSubject(owner, subjectId))
  const found = await unit.read(keys.map((key) => get(subjectKeys, key)))
  return keys.flatMap((key, at) => {
    const was = one(subjectKeys, found[at])
    return was ? { in: subjectKeys.name, key, version: was.version } : []
  })
}

/** A subject whose key may go with their last data. */
export type Retiring = SubjectScope & { readonly applicationId: string }

/** Marks the key of a subject without data: another session of theirs may come at any moment. */
export async function markRetiring(unit: UnitOfWork, scope: Retiring): Promise<Changes> {
  const [found] = await unit.read([get(subjectKeys, keyOfSubject(scope, scope.dataSubjectId))])
  const was = one(subjectKeys, found)
  if (!was || (await hasData(unit, scope))) return {}
  return { puts: [put(subjectKeys, { ...was.row, retiring: true }, was)] }
}

/** Removes a key that was marked, unless it is in use again or held: what seals under it takes the mark back. */
export async function removeRetired(unit: UnitOfWork, scope: Retiring): Promise<Changes> {
  const key = keyOfSubject(scope, scope.dataSubjectId)
  const [found] = await unit.read([get(subjectKeys, key)])
  const was = one(subjectKeys, found)
  if (!was?.row.retiring) return {}
  const { held, check } = holdOn(await unit.read(holdReads(scope)), scope)
  if (held || (await hasData(unit, scope))) return {}
  return { checks: [check], removes: [{ in: subjectKeys.name, key, version: was.version }] }
}
