import type { Application } from '../../applications/records.ts'
import { type StoredSession, sessions } from '../../content/records.ts'
import { evidenceLimits } from '../../kernel/ledger/limits.ts'
import type { Reader } from '../../kernel/ledger/pages.ts'
import { list, many } from '../../kernel/ledger/reads.ts'
import { assembleEvidence } from '../assemble/assemble.ts'
import { csvOf } from '../csv.ts'
import type { PackageDeps } from '../deps.ts'
import { fileNames } from '../file-name.ts'
import type { PackMember } from '../pack.ts'
import { authenticatorsMember } from './authenticators.ts'
import type { Making } from './order.ts'
import { omittedFor, printedMember } from './own-failure.ts'
import { stampMember } from './stamp-member.ts'

const utf8 = new TextEncoder()

/** What a bulk export is about. */
export interface BulkScope {
  readonly reader: Reader
  readonly tenantId: string
  readonly applications: readonly Application[]
}

/** The members of a bulk export: the latest sessions of each application, one in memory at a time. */
export async function* bulkMembers(
  deps: PackageDeps,
  { reader, tenantId, applications }: BulkScope,
  made: Making,
): AsyncGenerator<PackMember, void, undefined> {
  for (const { applicationId } of applications) {
    const [found] = await deps.ledger.read(tenantId, [
      list(sessions, {
        by: 'byApplication',
        where: [['applicationId', '=', applicationId]],
        newest: true,
        take: evidenceLimits.sessionsPerApplication,
      }),
    ])
    const keys = many(sessions, found).map(({ row: { sessionId } }) => sessionId)
    const nameOf = fileNames()
    for (const sessionId of keys) {
      const folder = `applications/${applicationId}/sessions/${nameOf(sessionId)}`
      yield* sessionMembers(deps, { tenantId, applicationId, sessionId }, folder, made)
    }
  }
  yield authenticatorsMember(reader, tenantId)
}

async function* sessionMembers(
  deps: PackageDeps,
  key: Pick<StoredSession, 'tenantId' | 'applicationId' | 'sessionId'>,
  folder: string,
  { now, packageId, signer, tally }: Making,
): AsyncGenerator<PackMember, void, undefined> {
  const { tenantId } = key
  const assembled = await assembleEvidence(deps, key, { now, signer }).catch((error: unknown) => {
    // One damaged session must not keep the others from being exported; the manifest says which.
    const code = omittedFor(deps, error, { tenantId, packageId, part: 'session' })
    return { ok: false, refusal: { code } } as const
  })
  if (!assembled.ok) {
    yield { path: `${folder}/evidence.json`, omitted: assembled.refusal.code }
    return
  }
  const { document, keys, named } = assembled.value
  for (const [subjectId, keyId] of keys)
    tally.keys.set(JSON.stringify([key.applicationId, subjectId]), keyId)
  for (const dataSubjectId of named)
    tally.named.add(JSON.stringify([key.applicationId, dataSubjectId]))
  tally.sessionCount++
  yield {
    path: `${folder}/evidence.json`,
    mediaType: 'application/json',
    content: utf8.encode(JSON.stringify(document)),
  }
  yield {
    path: `${folder}/session.csv`,
    mediaType: 'text/csv',
    content: utf8.encode(csvOf(document)),
  }
  yield* stampMember(`${folder}/time-stamp.tsr`, document.integrity.anchor?.timeStamp)
  const path = `${folder}/evidence-pack.pdf`
  const where = { path, tenantId, packageId }
  yield await printedMember(deps, where, { kind: 'evidence', document })
}
