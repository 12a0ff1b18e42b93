import type { Put, Versioned } from '../../base/ports/store.ts'
import { isPseudonym } from '../../content/vault/pseudonym.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import type { Reader } from '../../kernel/ledger/pages.ts'
import { everyRow, get, list, many, one, put } from '../../kernel/ledger/reads.ts'
import { type RemovedSubject, removedSubjects } from './records.ts'
import { inApplication, type SubjectScope } from './subjects.ts'

/** Marks data subjects whose data goes for its age, in the commit that removes it; other subjects of the vault are left out. */
export async function markRemoved(
  unit: UnitOfWork,
  { tenantId, applicationId }: Pick<RemovedSubject, 'tenantId' | 'applicationId'>,
  subjectIds: readonly string[],
): Promise<readonly Put[]> {
  const gone = [...new Set(subjectIds.filter(isPseudonym))].map(
    (dataSubjectId): RemovedSubject => ({
      tenantId,
      applicationId,
      dataSubjectId,
      removedAt: unit.now,
    }),
  )
  const found = await unit.read(
    gone.map(({ dataSubjectId }) => get(removedSubjects, [tenantId, applicationId, dataSubjectId])),
  )
  return gone.map((row, at) => put(removedSubjects, row, one(removedSubjects, found[at])))
}

/**
 * The marks of a subject, one for each application. To be read after the sessions: a mark comes in the commit that
 * removes what it is about, so that one of both is seen.
 */
export async function removedOf(
  reader: Reader,
  { tenantId, dataSubjectId, applicationId }: SubjectScope,
): Promise<readonly Versioned<RemovedSubject>[]> {
  const [found] = await reader.read([
    list(removedSubjects, {
      by: 'bySubject',
      where: [
        ['tenantId', '=', tenantId],
        ['dataSubjectId', '=', dataSubjectId],
        ...inApplication(applicationId),
      ],
      take: everyRow,
    }),
  ])
  return many(removedSubjects, found)
}
