import { rehomeKind, sessionRef } from '../ingest/work-kinds.ts'
import type { UnitOfWork } from '../ledger/ledger.ts'
import { get, list, many, one } from '../ledger/reads.ts'
import type { Check, Versioned } from '../ports/store.ts'
import type { SessionKey, StoredSession } from '../sessions/records.ts'
import { workItems } from '../work/records.ts'
import { erasureRequests, holdBoards } from './records.ts'
import { namesSubject } from './session-holds.ts'

/** Items of an application that are read at once. */
const itemPiece = 500
/** Erasures of a tenant that are under way at once. */
const mostErasures = 10_000

/** Whether any of these sessions, all of one tenant, is moving to another or taking one in. */
export async function isRehoming(
  unit: UnitOfWork,
  sessions: readonly Omit<SessionKey, 'tenantId'>[],
): Promise<boolean> {
  const asked = new Set(sessions.map((each) => sessionRef(each.applicationId, each.sessionId)))
  for (const applicationId of new Set(sessions.map((each) => each.applicationId)))
    for (let after = sessionRef(applicationId, ''); ; ) {
      const [found] = await unit.read([
        list(workItems, {
          where: [
            ['kind', '=', rehomeKind],
            ['ref', '>', after],
            // The character behind the slash.
            ['ref', '<', `${applicationId}0`],
          ],
          take: itemPiece,
        }),
      ])
      const items = many(workItems, found).map(({ row }) => row)
      for (const { ref, state } of items) {
        const { to } = state as { readonly to: string }
        if (asked.has(ref) || asked.has(sessionRef(applicationId, to))) return true
      }
      const last = items.at(-1)
      if (!last || items.length < itemPiece) break
      after = last.ref
    }
  return false
}

/** Whether an erasure that has begun is of a subject of these sessions of one tenant; and the check that relies on it. */
export async function erasureAtWork(
  unit: UnitOfWork,
  sessions: readonly Versioned<StoredSession>[],
): Promise<{ readonly atWork: boolean; readonly check: Check }> {
  const tenantId = sessions[0]?.row.tenantId ?? ''
  const [board, found] = await unit.read([
    get(holdBoards, [tenantId]),
    list(erasureRequests, {
      by: 'byState',
      where: [
        ['tenantId', '=', tenantId],
        ['underWay', '=', 1],
      ],
      take: mostErasures,
    }),
  ])
  const version = one(holdBoards, board)?.version ?? 0
  const check = { in: holdBoards.name, key: [tenantId], version } as const
  const begun = many(erasureRequests, found).filter(({ row }) => row.begunAt !== null)
  for (const { row: session } of sessions) {
    const subjects = begun
      .filter(
        ({ row }) => row.applicationId === null || row.applicationId === session.applicationId,
      )
      .map(({ row }) => row.dataSubjectId)
    if (await namesSubject(unit, session, subjects)) return { atWork: true, check }
  }
  return { atWork: false, check }
}
