import { applications } from '../../applications/records.ts'
import type { Key, Read, Versioned, Where } from '../../base/ports/store.ts'
import {
  type SessionKey,
  type StoredSession,
  type StoredStep,
  sessions,
  steps,
} from '../../content/records.ts'
import { subjectKeys } from '../../content/vault/records.ts'
import type { Vault } from '../../content/vault/vault.ts'
import { pageAfter, type Reader, rowsOf } from '../../kernel/ledger/pages.ts'
import { everyRow, list, many, one } from '../../kernel/ledger/reads.ts'
import { casesNaming, reviewCases } from '../../review/records.ts'

/** What operations on data subjects need. */
export interface SubjectTools {
  readonly vault: Vault
  /** The portal API's base URL without a slash at its end. */
  readonly portalUrl: string
}

/** The pseudonym of a subject that a caller names. */
export async function pseudonymOf(
  { vault }: SubjectTools,
  tenantId: string,
  subject: { readonly dataSubjectId: string },
): Promise<string> {
  const { subjectOf } = await vault.pseudonyms(tenantId)
  return subjectOf(subject.dataSubjectId).subjectId
}

/** A data subject, in one application or in all of a tenant. */
export interface SubjectScope {
  readonly tenantId: string
  /** A pseudonym. */
  readonly dataSubjectId: string
  /** Null: in every application. */
  readonly applicationId: string | null
}

/** The keys of a subject, one for each application that has data of theirs. */
export function keysOfSubject({ tenantId, dataSubjectId, applicationId }: SubjectScope): Read {
  return list(subjectKeys, {
    by: 'bySubject',
    where: [
      ['tenantId', '=', tenantId],
      ['subjectId', '=', dataSubjectId],
      ...inApplication(applicationId),
    ],
    take: everyRow,
  })
}

/** Finds the sessions whose own subject this is. */
function ownedBy({ tenantId, dataSubjectId, applicationId }: SubjectScope) {
  const subject = [
    ['tenantId', '=', tenantId],
    ['dataSubjectId', '=', dataSubjectId],
  ] as const
  return { by: 'ofSubject', where: [...subject, ...inApplication(applicationId)] }
}

/** Finds the steps that name the subject or whose content lies under its key, in any session. */
function stepsWith({ tenantId, dataSubjectId, applicationId }: SubjectScope) {
  const subject = [
    ['tenantId', '=', tenantId],
    ['subject', '=', dataSubjectId],
  ] as const
  return { by: 'bySubject', where: [...subject, ...inApplication(applicationId)] }
}

/** A page of the sessions whose own subject this is, in key order, which no later span changes. */
export function sessionsOfSubject(
  reader: Reader,
  scope: SubjectScope,
  after: Key | null,
  take: number,
): Promise<readonly Versioned<StoredSession>[]> {
  return pageAfter(reader, sessions, { ...ownedBy(scope), after, take })
}

/** A page of the steps that name the subject or whose content lies under its key, in any session. */
export function stepsOfSubject(
  reader: Reader,
  scope: SubjectScope,
  after: Key | null,
  take: number,
): Promise<readonly Versioned<StoredStep>[]> {
  return pageAfter(reader, steps, { ...stepsWith(scope), after, take })
}

/** The condition of a scope's application; none for all of them. */
export function inApplication(applicationId: string | null): Where {
  return applicationId === null ? [] : [['applicationId', '=', applicationId]]
}

/** Whether a session goes with the subject as a whole; else only the steps that name the subject do. */
export function isOwnSession(session: StoredSession, { dataSubjectId }: SubjectScope): boolean {
  return session.dataSubjectId === dataSubjectId
}

/** A session that has data of a subject. */
export interface SessionWith extends Pick<SessionKey, 'applicationId' | 'sessionId'> {
  /** It is theirs; else only some of its steps are. */
  readonly own: boolean
}

/** Every session that has data of the subject. */
export async function sessionsWith(
  reader: Reader,
  scope: SubjectScope,
): Promise<readonly SessionWith[]> {
  const found = new Map<string, SessionWith>()
  for await (const row of rowsOf(reader, sessions, { ...ownedBy(scope), take: pageRows }))
    add(row, true)
  for await (const row of rowsOf(reader, steps, { ...stepsWith(scope), take: pageRows }))
    add(row, false)
  return [...found.values()]

  function add({ applicationId, sessionId }: SessionKey, own: boolean): void {
    const id = JSON.stringify([applicationId, sessionId])
    if (!found.has(id)) found.set(id, { applicationId, sessionId, own })
  }
}

const pageRows = 500

/** The key of a session's row. */
export function sessionKey({ tenantId, applicationId, sessionId }: SessionKey): Key {
  return [tenantId, applicationId, sessionId]
}

/** The count of the cases whose openings named the subject. */
export function countOfNaming(scope: SubjectScope): Read {
  return list(reviewCases, { ...casesNaming(scope), take: 0, count: true })
}

/** The applications with cases whose openings named the subject. */
export async function applicationsNaming(
  reader: Reader,
  scope: SubjectScope,
): Promise<readonly string[]> {
  const { tenantId } = scope
  const [found, foundAll] = await reader.read([
    countOfNaming(scope),
    list(applications, { where: [['tenantId', '=', tenantId]], take: everyRow }),
  ])
  // Cases may hold megabytes: they are counted, and not read.
  if (!found?.total) return []
  const ids = many(applications, foundAll).map(({ row }) => row.applicationId)
  const counts = await reader.read(
    ids.map((applicationId) => countOfNaming({ ...scope, applicationId })),
  )
  return ids.filter(
    (each, at) =>
      (scope.applicationId === null || scope.applicationId === each) && counts[at]?.total,
  )
}

/** Whether anything of the subject is or was stored. */
export async function isKnown(reader: Reader, scope: SubjectScope): Promise<boolean> {
  const [foundKeys, named] = await reader.read([keysOfSubject(scope), countOfNaming(scope)])
  if (one(subjectKeys, foundKeys) || named?.total) return true
  return hasData(reader, scope)
}

/** Whether a session is the subject's, or a step of any. */
export async function hasData(reader: Reader, scope: SubjectScope): Promise<boolean> {
  if ((await sessionsOfSubject(reader, scope, null, 1)).length > 0) return true
  return (await stepsOfSubject(reader, scope, null, 1)).length > 0
}
