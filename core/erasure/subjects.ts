import { list, many, one } from '../ledger/reads.ts'
import type { Found, Key, Read, Versioned, Where } from '../ports/store.ts'
import { subjectKeys } from '../privacy/records.ts'
import { pageAfter } from '../sealing/pages.ts'
import {
  type SessionKey,
  type StoredSession,
  type StoredStep,
  sessions,
  steps,
} from '../sessions/records.ts'

interface Reader {
  read(reads: readonly Read[]): Promise<readonly Found[]>
}

/** A data subject, in one application or in all of a tenant. */
export interface SubjectScope {
  readonly tenantId: string
  /** A pseudonym. */
  readonly dataSubjectId: string
  /** Null: in every application. */
  readonly applicationId: string | null
}

/** Applications in which a subject may have a key; a tenant has far fewer. */
const mostApplications = 10_000

/** The keys of a subject, one for each application that has data of theirs. */
export function keysOfSubject({ tenantId, dataSubjectId, applicationId }: SubjectScope): Read {
  return list(subjectKeys, {
    by: 'bySubject',
    where: [
      ['tenantId', '=', tenantId],
      ['subjectId', '=', dataSubjectId],
      ...inApplication(applicationId),
    ],
    take: mostApplications,
  })
}

/** Sessions whose own subject this is, in order of their start, behind a place. */
export function sessionsOfSubject(
  { tenantId, dataSubjectId, applicationId }: SubjectScope,
  after: string | null,
  take: number,
): Read {
  return list(sessions, {
    by: 'bySubject',
    where: [
      ['tenantId', '=', tenantId],
      ['dataSubjectId', '=', dataSubjectId],
      ...inApplication(applicationId),
      ...(after === null ? [] : ([['place', '>', after]] as const)),
    ],
    take,
  })
}

/** Steps whose content lies under the subject's key, in whatever session, behind a key. */
export function stepsOfSubject(
  reader: Reader,
  { tenantId, dataSubjectId, applicationId }: SubjectScope,
  after: Key | null,
  take: number,
): Promise<readonly Versioned<StoredStep>[]> {
  return pageAfter(reader, steps, {
    where: [
      ['tenantId', '=', tenantId],
      ['subject', '=', dataSubjectId],
      ...inApplication(applicationId),
    ],
    by: 'bySubject',
    after,
    take,
  })
}

function inApplication(applicationId: string | null): Where {
  return applicationId === null ? [] : [['applicationId', '=', applicationId]]
}

/** Whether a session goes with the subject as a whole; else only the steps that name the subject do. */
export function isOwnSession(session: StoredSession, { dataSubjectId }: SubjectScope): boolean {
  return session.dataSubjectId === dataSubjectId
}

/** Every session that has data of the subject. */
export async function sessionsWith(
  reader: Reader,
  scope: SubjectScope,
): Promise<readonly Pick<SessionKey, 'applicationId' | 'sessionId'>[]> {
  const found = new Map<string, Pick<SessionKey, 'applicationId' | 'sessionId'>>()
  const add = ({ applicationId, sessionId }: Pick<SessionKey, 'applicationId' | 'sessionId'>) =>
    found.set(JSON.stringify([applicationId, sessionId]), { applicationId, sessionId })
  for (let after: string | null = null; ; ) {
    const [page]: readonly Found[] = await reader.read([sessionsOfSubject(scope, after, pageRows)])
    const rows = many(sessions, page)
    for (const { row } of rows) add(row)
    after = rows.at(-1)?.row.place ?? null
    if (rows.length < pageRows) break
  }
  for (let after: Key | null = null; ; ) {
    const rows: readonly Versioned<StoredStep>[] = await stepsOfSubject(
      reader,
      scope,
      after,
      pageRows,
    )
    for (const { row } of rows) add(row)
    const last = rows.at(-1)
    if (!last || rows.length < pageRows) break
    after = stepKey(last.row)
  }
  return [...found.values()]
}

const pageRows = 500

/** The key of a step's row. */
export function stepKey({ tenantId, applicationId, scope, stepId }: StoredStep): Key {
  return [tenantId, applicationId, scope, stepId]
}

/** Whether anything of the subject is or was stored. */
export async function isKnown(reader: Reader, scope: SubjectScope): Promise<boolean> {
  const [foundKeys, foundSessions] = await reader.read([
    keysOfSubject(scope),
    sessionsOfSubject(scope, null, 1),
  ])
  if (one(subjectKeys, foundKeys) || one(sessions, foundSessions)) return true
  return (await stepsOfSubject(reader, scope, null, 1)).length > 0
}

/** Whether a subject has data in other sessions than this one, whose steps are gone already; in any for null. */
export async function hasOtherData(
  reader: Reader,
  scope: SubjectScope,
  sessionId: string | null,
): Promise<boolean> {
  const [found] = await reader.read([sessionsOfSubject(scope, null, 2)])
  if (many(sessions, found).some(({ row }) => row.sessionId !== sessionId)) return true
  return (await stepsOfSubject(reader, scope, null, 1)).length > 0
}
