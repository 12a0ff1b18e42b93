import type { Found, Key, Read, Versioned, Where } from '../../base/ports/store.ts'
import {
  type SessionKey,
  type StoredSession,
  type StoredStep,
  sessions,
  steps,
} from '../../content/records.ts'
import { subjectKeys } from '../../content/vault/records.ts'
import type { Vault } from '../../content/vault/vault.ts'
import { pageAfter } from '../../kernel/ledger/pages.ts'
import { everyRow, list, one } from '../../kernel/ledger/reads.ts'

/** What reads a tenant's rows. */
export interface Reader {
  read(reads: readonly Read[]): Promise<readonly Found[]>
}

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

/** Sessions whose own subject this is, behind a key: an order that no later span changes. */
export function sessionsOfSubject(
  reader: Reader,
  { tenantId, dataSubjectId, applicationId }: SubjectScope,
  after: Key | null,
  take: number,
): Promise<readonly Versioned<StoredSession>[]> {
  return pageAfter(reader, sessions, {
    where: [
      ['tenantId', '=', tenantId],
      ['dataSubjectId', '=', dataSubjectId],
      ...inApplication(applicationId),
    ],
    by: 'ofSubject',
    after,
    take,
  })
}

/** Steps that name the subject or whose content lies under its key, in whatever session, behind a key. */
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
  for (let after: Key | null = null; ; ) {
    const rows: readonly Versioned<StoredSession>[] = await sessionsOfSubject(
      reader,
      scope,
      after,
      pageRows,
    )
    for (const { row } of rows) add(row, true)
    const last = rows.at(-1)
    if (!last || rows.length < pageRows) break
    after = sessionKey(last.row)
  }
  for (let after: Key | null = null; ; ) {
    const rows: readonly Versioned<StoredStep>[] = await stepsOfSubject(
      reader,
      scope,
      after,
      pageRows,
    )
    for (const { row } of rows) add(row, false)
    const last = rows.at(-1)
    if (!last || rows.length < pageRows) break
    after = stepKey(last.row)
  }
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

/** The key of a step's row. */
export function stepKey({ tenantId, applicationId, scope, stepId }: StoredStep): Key {
  return [tenantId, applicationId, scope, stepId]
}

/** Whether anything of the subject is or was stored. */
export async function isKnown(reader: Reader, scope: SubjectScope): Promise<boolean> {
  const [foundKeys] = await reader.read([keysOfSubject(scope)])
  if (one(subjectKeys, foundKeys)) return true
  return hasData(reader, scope)
}

/** Whether a session is the subject's, or a step of any. */
export async function hasData(reader: Reader, scope: SubjectScope): Promise<boolean> {
  if ((await sessionsOfSubject(reader, scope, null, 1)).length > 0) return true
  return (await stepsOfSubject(reader, scope, null, 1)).length > 0
}
