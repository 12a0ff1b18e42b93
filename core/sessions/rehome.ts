import type { Check, Collection, Versioned } from '../base/ports/store.ts'
import { bundles } from '../content/payload-records.ts'
import {
  ofSession,
  type SessionKey,
  type StoredSession,
  sessions,
  steps,
  stepsAfter,
} from '../content/records.ts'
import { sessionAliases, traces } from '../content/trace-records.ts'
import type { UnitOfWork } from '../kernel/ledger/ledger.ts'
import { list, many, put } from '../kernel/ledger/reads.ts'
import { askedOf, type Query, queryOf } from '../kernel/query.ts'
import { handler, type WorkHandler, type WorkUnit } from '../kernel/work/handler.ts'
import { quotaCounter } from '../organizations/quota.ts'
import { policyRuleSets } from '../policies/records.ts'
import { sessionRulesOf } from '../policies/signals.ts'
import type { ReviewHost } from '../review/deps.ts'
import { moveMarks } from './move-marks.ts'
import { needsRejudging, withAgentOf, withSteps } from './session-state.ts'
import {
  completion,
  completionKind,
  rehomeKind,
  rejudge,
  rejudgeKind,
  sealAfter,
  sealKind,
  sessionOfRef,
  sessionRef,
  workItem,
} from './work-kinds.ts'

type Row = Versioned<StoredSession>

/** Steps, traces or bundles that move in one commit. */
const piece = 200
/** How long a session waits for an erasure or a removal that is at work on it. */
const waitMs = 60_000

/** What moves sessions, and an erasure that keeps them where they are. */
export interface RehomingDeps extends ReviewHost {
  /**
   * Whether an erasure is at work on a subject of these sessions of one tenant, past which rows would move; and the check
   * that relies on it.
   */
  erasureAtWork(
    unit: UnitOfWork,
    sessions: readonly Versioned<StoredSession>[],
  ): Promise<{ readonly atWork: boolean; readonly check: Check }>
}

/**
 * Moves a session whose trace got its name late to the one that was named, in pieces: its steps, then what members and
 * policies hung on it; then dissolves it, and moves what came to it until that commit.
 */
export function createRehoming(host: RehomingDeps): WorkHandler {
  return handler<{ readonly to: string }>({
    kind: rehomeKind,
    of: 'application',
    run: async (unit, { tenantId, applicationId, ref, state }) => {
      const from: SessionKey = { tenantId, applicationId, sessionId: sessionOfRef(ref) }
      const { source, target } = await unit.ask({
        source: sessions.get(tenantId, applicationId, from.sessionId),
        target: sessions.get(tenantId, applicationId, state.to),
      })
      if (!target || (source && source.row.sealed !== null)) return null
      // A session that is being removed for its age goes whole: its keys are removed with it.
      if (source?.row.removing || target.row.removing) return unit.now + waitMs
      const { atWork, check } = await host.erasureAtWork(unit, source ? [source, target] : [target])
      if (atWork) return unit.now + waitMs
      unit.include({ checks: [check] })
      if (source && (await moveSteps(unit, source, target))) return unit.now
      if (await moveMarksOf(host, unit, source, target, from)) return unit.now
      if (!source) return null
      // It holds nothing any more: from then on its id leads to the other. Not counted.
      unit.remove(sessions, source)
      unit.count(quotaCounter(tenantId, source.row.receivedAt), -1)
      return unit.now
    },
  })
}

/** Moves a piece of the steps, and the traces, bundles and aliases that lead to the session; false once none is left. */
async function moveSteps(unit: WorkUnit, source: Row, target: Row): Promise<boolean> {
  const { tenantId, applicationId, sessionId: to } = target.row
  const ref = sessionRef(applicationId, to)
  const found = await askedOf(unit, {
    moving: queryOf([stepsAfter(source.row, null, piece)], ([some]) => many(steps, some)),
    traces: rowsOf(traces, source.row),
    bundles: rowsOf(bundles, source.row),
    aliases: rowsOf(sessionAliases, source.row),
    seal: workItem(sealKind, applicationId),
    due: workItem(completionKind, ref),
    ruleSet: policyRuleSets.get(tenantId, applicationId),
    rejudging: workItem(rejudgeKind, ref),
  })
  const { moving } = found
  const renamed = [
    ...found.traces.map((was) => put(traces, { ...was.row, sessionId: to }, was)),
    ...found.bundles.map((was) => put(bundles, { ...was.row, sessionId: to }, was)),
    ...found.aliases
      .filter(({ row }) => row.alias !== source.row.sessionId && row.alias !== to)
      .map((was) => put(sessionAliases, { ...was.row, sessionId: to }, was)),
  ]
  if (moving.length === 0 && renamed.length === 0) return false
  const late = target.row.completedAt !== null
  const joins = moving.length > 0
  const revision = late && joins ? target.row.revision + 1 : target.row.revision
  const rows = moving.map(({ row }) => ({
    ...row,
    sessionId: to,
    revision,
    late: row.late || late,
  }))
  const joined = withSteps(
    // Which step named the agent is known of its session alone.
    joins ? withAgentOf(target.row, source.row) : target.row,
    rows.map((step) => ({ step, agent: null })),
  )
  const rules = sessionRulesOf(found.ruleSet)
  const isRejudged =
    moving.some(({ row }) => row.openRules) || needsRejudging(rules, target.row, joined)
  const after: StoredSession = {
    ...joined,
    revision,
    lastReceivedAt: Math.max(target.row.lastReceivedAt, source.row.lastReceivedAt),
    ...(late && joins ? { sealDue: joined.sealDue ?? unit.now } : {}),
  }
  // A root that moved completes the session sooner.
  const sooner = !late && after.rootEnded && !target.row.rootEnded
  for (const [at, row] of rows.entries()) unit.put(steps, row, moving[at])
  unit.put(sessions, after, target)
  unit.include({ puts: renamed })
  if (isRejudged) unit.include({ puts: [rejudge(target.row, unit.now, found.rejudging)] })
  if (sooner) unit.include({ puts: [completion(after, found.due)] })
  if (late && joins) unit.include(sealAfter(after, unit.now, found.seal))
  leave(unit, source, 0)
  return true
}

/** Moves a piece of the flags, annotations, reviews and cases; false once none is left. */
async function moveMarksOf(
  host: ReviewHost,
  unit: WorkUnit,
  source: Row | null,
  target: Row,
  from: SessionKey,
): Promise<boolean> {
  const moved = await moveMarks({ host, unit, from, to: target.row })
  if (!moved) return false
  const { set, openFlags, reviewState = target.row.reviewState } = moved
  const after: StoredSession = {
    ...target.row,
    openFlags: Math.max(0, target.row.openFlags + openFlags.gained),
    reviewState,
  }
  unit.put(sessions, after, target)
  unit.include(set)
  if (source) leave(unit, source, openFlags.lost)
  return true
}

/** A session that is being dissolved has so many open flags less, and is not sealed any more. */
function leave(unit: WorkUnit, was: Row, lost: number): void {
  const { row } = was
  if (lost === 0 && row.sealDue === null) return
  const openFlags = Math.max(0, row.openFlags - lost)
  unit.put(sessions, { ...row, openFlags, sealDue: null }, was)
}

function rowsOf<R extends object>(
  collection: Collection<R>,
  session: SessionKey,
): Query<readonly Versioned<R>[]> {
  const asked = { by: 'bySession', where: ofSession(session), take: piece }
  return queryOf([list(collection, asked)], ([found]) => many(collection, found))
}
