import type { Where } from '../../base/ports/store.ts'
import { type StoredSession, sessions } from '../../content/records.ts'
import { type Seal, seals } from '../../content/seal-records.ts'
import { isoTime, isoTimeOrNull } from '../../kernel/ledger/iso-time.ts'
import { type Reader, rowsOf } from '../../kernel/ledger/pages.ts'
import { list, one } from '../../kernel/ledger/reads.ts'
import type { Cell } from '../csv.ts'
import { grouped } from '../packages/items.ts'

/** Sessions whose seals one read brings. */
const piece = 100

/** A row for each session of an application, with its last seal. */
export async function* sessionIndex(
  reader: Reader,
  where: Where,
  onSession: () => void,
): AsyncGenerator<readonly Cell[], void, undefined> {
  for await (const group of grouped(rowsOf(reader, sessions, { where }), piece)) {
    const found = await reader.read(
      group.map(({ tenantId, applicationId, sessionId }) =>
        list(seals, {
          where: [
            ['tenantId', '=', tenantId],
            ['applicationId', '=', applicationId],
            ['sessionId', '=', sessionId],
          ],
          newest: true,
          take: 1,
        }),
      ),
    )
    for (const [at, session] of group.entries()) {
      onSession()
      yield cellsOf(session, one(seals, found[at])?.row ?? null)
    }
  }
}

function cellsOf(session: StoredSession, seal: Seal | null): readonly Cell[] {
  const { tally, status, quality } = session
  return [
    session.applicationId,
    session.sessionId,
    session.origin,
    status,
    isoTime(session.startedAt),
    status === 'running' ? null : isoTime(session.endedAt),
    isoTime(session.receivedAt),
    isoTimeOrNull(session.completedAt),
    session.dataSubjectId,
    tally.steps,
    tally.errors,
    tally.allow,
    tally.deny,
    tally.requireReview,
    quality === null ? null : quality / 10,
    session.openFlags,
    session.reviewState,
    session.payloadStatus,
    String(session.incompleteAtSource ?? false),
    session.revision,
    seal?.revision ?? null,
    seal?.leafHash ?? null,
    seal?.batchId ?? null,
    seal?.leafIndex ?? null,
  ]
}
