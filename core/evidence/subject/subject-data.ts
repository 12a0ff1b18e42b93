import type { SessionKey } from '../../content/records.ts'
import { subjectKeys } from '../../content/vault/records.ts'
import type { Reader } from '../../kernel/ledger/pages.ts'
import { get, list, many, one } from '../../kernel/ledger/reads.ts'
import { type Tenant, tenants } from '../../organizations/access/records.ts'
import { erasureRequests, legalHolds } from '../../removal/erasure/records.ts'
import { applicationsNaming, keysOfSubject, sessionsWith } from '../../removal/erasure/subjects.ts'
import { accessibleOf } from '../packages/applications.ts'

/** A data subject, and where data of theirs is. */
export interface SubjectData {
  readonly reader: Reader
  readonly tenant: Tenant
  /** A pseudonym. */
  readonly dataSubjectId: string
  /** Applications with data of theirs, those that are being deleted left out. */
  readonly applicationIds: readonly string[]
  /** Those that were left out. */
  readonly inaccessibleCount: number
  /** In the applications named. */
  readonly sessions: readonly SessionKey[]
}

/** What is held of a subject; null for one of whom nothing is known, not even an erasure or a hold. */
export async function subjectData(
  reader: Reader,
  { tenantId, dataSubjectId }: { readonly tenantId: string; readonly dataSubjectId: string },
): Promise<SubjectData | null> {
  const scope = { tenantId, dataSubjectId, applicationId: null }
  const held = await sessionsWith(reader, scope)
  const ofSubject = [
    ['tenantId', '=', tenantId],
    ['dataSubjectId', '=', dataSubjectId],
  ] as const
  const [foundTenant, foundKeys, erasures, holds] = await reader.read([
    get(tenants, [tenantId]),
    keysOfSubject(scope),
    list(erasureRequests, { by: 'bySubject', where: ofSubject, take: 1 }),
    list(legalHolds, { by: 'bySubject', where: ofSubject, take: 1 }),
  ])
  const tenant = one(tenants, foundTenant)?.row
  const named = [
    ...held.map(({ applicationId }) => applicationId),
    ...many(subjectKeys, foundKeys).map(({ row }) => row.applicationId),
    ...(await applicationsNaming(reader, scope)),
  ]
  if (!tenant || (named.length === 0 && !erasures?.rows.length && !holds?.rows.length)) return null
  const ids = [...new Set(named)].toSorted()
  const accessible = new Set(
    (await accessibleOf(reader, tenantId, ids)).map(({ applicationId }) => applicationId),
  )
  return {
    reader,
    tenant,
    dataSubjectId,
    applicationIds: [...accessible],
    inaccessibleCount: ids.length - accessible.size,
    sessions: held
      .filter(({ applicationId }) => accessible.has(applicationId))
      .map(({ applicationId, sessionId }) => ({ tenantId, applicationId, sessionId })),
  }
}
