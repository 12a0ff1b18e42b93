import type { ChangeSet, Key } from '../../base/ports/store.ts'
import { erasedSubjects, subjectKeys } from '../../content/vault/records.ts'
import { keyOfSubject } from '../../content/vault/subject-key.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { get, inTurn, one, put, removalsOf } from '../../kernel/ledger/reads.ts'
import { holdOn, holdReads } from './hold-board.ts'
import { hasData, type SubjectScope } from './subjects.ts'

type Changes = Omit<ChangeSet, 'tenant'>
type Removes = NonNullable<Changes['removes']>

/** The current keys of subjects, and their marks as erased. */
async function keysAndMarks(unit: UnitOfWork, keys: readonly Key[]) {
  const found = await unit.read(
    keys.flatMap((key) => [get(subjectKeys, key), get(erasedSubjects, key)]),
  )
  const ofNext = inTurn(found)
  return keys.map(() => {
    const [foundKey, foundMark] = ofNext(2)
    const [was, mark] = [one(subjectKeys, foundKey), one(erasedSubjects, foundMark)]
    const removes: Removes = [
      ...removalsOf(subjectKeys, was ? [was] : []),
      ...removalsOf(erasedSubjects, mark ? [mark] : []),
    ]
    return { was, removes }
  })
}

/** The removals of keys under which nothing lies any more, and of the marks of their subjects as erased. */
export async function removedKeys(
  unit: UnitOfWork,
  owner: { readonly tenantId: string; readonly applicationId: string },
  subjectIds: readonly string[],
): Promise<Removes> {
  const keys = subjectIds.map((subjectId) => keyOfSubject(owner, subjectId))
  return (await keysAndMarks(unit, keys)).flatMap(({ removes }) => removes)
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

/**
 * Removes a key that was marked as retiring, unless a hold covers its subject or it is in use again: sealing under it
 * takes the mark back. The mark of an erased subject goes with the subject's last data.
 */
export async function removeRetired(unit: UnitOfWork, scope: Retiring): Promise<Changes> {
  const [found] = await keysAndMarks(unit, [keyOfSubject(scope, scope.dataSubjectId)])
  if (!found || found.removes.length === 0) return {}
  if (found.was && !found.was.row.retiring) return {}
  const { held, check } = holdOn(await unit.read(holdReads(scope)), scope)
  if (held || (await hasData(unit, scope))) return {}
  return { checks: [check], removes: found.removes }
}
