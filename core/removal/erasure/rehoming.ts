import type { Check, Versioned } from '../../base/ports/store.ts'
import type { SessionKey, StoredSession } from '../../content/records.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { rowsOf } from '../../kernel/ledger/pages.ts'
import { workItems } from '../../kernel/work/records.ts'
import { rehomeKind, sessionRef } from '../../sessions/work-kinds.ts'
import { readBoard } from './hold-board.ts'
import { type ErasureRequest, erasureRequests } from './records.ts'
import { namesSubject } from './session-holds.ts'

/** Whether any of these sessions, all of one tenant, is moving to another or taking one in. */
export async function isRehoming(
  unit: UnitOfWork,
  sessions: readonly Omit<SessionKey, 'tenantId'>[],
): Promise<boolean> {
  const asked = new Set(sessions.map((each) => sessionRef(each.applicationId, each.sessionId)))
  for (const applicationId of new Set(sessions.map((each) => each.applicationId))) {
    const where = [
      ['kind', '=', rehomeKind],
      ['ref', '>', sessionRef(applicationId, '')],
      // The character behind the slash.
      ['ref', '<', `${applicationId}0`],
    ] as const
    for await (const { ref, state } of rowsOf(unit, workItems, { where })) {
      const { to } = state as { readonly to: string }
      if (asked.has(ref) || asked.has(sessionRef(applicationId, to))) return true
    }
  }
  return false
}

/** Whether an erasure that has begun is of a subject of these sessions of one tenant; and the check that relies on it. */
export async function erasureAtWork(
  unit: UnitOfWork,
  sessions: readonly Versioned<StoredSession>[],
): Promise<{ readonly atWork: boolean; readonly check: Check }> {
  const tenantId = sessions[0]?.row.tenantId ?? ''
  // Before the erasures: one that begins while they are read changes the board.
  const { check } = await readBoard(unit, tenantId)
  const where = [
    ['tenantId', '=', tenantId],
    ['underWay', '=', 1],
  ] as const
  const begun: ErasureRequest[] = []
  for await (const request of rowsOf(unit, erasureRequests, { by: 'byState', where }))
    if (request.begunAt !== null) begun.push(request)
  for (const { row: session } of sessions) {
    const subjects = begun.flatMap(({ applicationId, dataSubjectId }) =>
      applicationId === null || applicationId === session.applicationId ? dataSubjectId : [],
    )
    if (await namesSubject(unit, session, new Set(subjects))) return { atWork: true, check }
  }
  return { atWork: false, check }
}
