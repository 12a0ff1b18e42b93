import type { Application } from '../../applications/records.ts'
import { evidenceLimits } from '../../ledger/limits.ts'
import { list, many } from '../../ledger/reads.ts'
import { PayloadError } from '../../privacy/vault.ts'
import { type StoredSession, sessions } from '../../sessions/records.ts'
import { assembleEvidence } from '../assemble/assemble.ts'
import { csvOf } from '../csv.ts'
import { fileNameOf } from '../file-name.ts'
import type { PackMember } from '../pack.ts'
import type { PackageDeps } from './deps.ts'
import type { Making } from './order.ts'

const utf8 = new TextEncoder()

/** The members of a bulk export, one session in memory at a time: the latest of each application. */
export async function* bulkMembers(
  deps: PackageDeps,
  applications: readonly Application[],
  made: Making,
): AsyncGenerator<PackMember, void, undefined> {
  for (const { tenantId, applicationId } of applications) {
    const [found] = await deps.ledger.read(tenantId, [
      list(sessions, {
        by: 'byApplication',
        where: [['applicationId', '=', applicationId]],
        newest: true,
        take: evidenceLimits.sessionsPerApplication,
      }),
    ])
    const keys = many(sessions, found).map(({ row: { sessionId } }) => sessionId)
    for (const sessionId of keys)
      yield* sessionMembers(deps, { tenantId, applicationId, sessionId }, made)
  }
}

async function* sessionMembers(
  deps: PackageDeps,
  key: Pick<StoredSession, 'tenantId' | 'applicationId' | 'sessionId'>,
  { now, signer, tally }: Making,
): AsyncGenerator<PackMember, void, undefined> {
  const folder = `applications/${key.applicationId}/sessions/${fileNameOf(key.sessionId)}`
  const assembled = await assembleEvidence(deps, key, { now, signer }).catch((error: unknown) => {
    // One damaged session must not keep the others from being exported; the manifest says which.
    if (error instanceof PayloadError) return { ok: false, refusal: { code: error.code } } as const
    throw error
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
  const path = `${folder}/evidence-pack.pdf`
  if (!deps.renderer) yield { path, omitted: 'not_printed' }
  else
    yield {
      path,
      mediaType: 'application/pdf',
      content: await deps.renderer.pdf({ kind: 'evidence', document }),
    }
}
