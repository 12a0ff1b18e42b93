import type { ChangeSet, Check, Put, Versioned } from '../base/ports/store.ts'
import { bundles } from '../content/payload-records.ts'
import {
  ofSession,
  type SessionKey,
  type StoredSession,
  sessions,
  steps,
  stepsAfter,
} from '../content/records.ts'
import { type SessionAlias, sessionAliases, traces } from '../content/trace-records.ts'
import type { UnitOfWork } from '../kernel/ledger/ledger.ts'
import { get, list, many, one, put } from '../kernel/ledger/reads.ts'
import type { WorkHandler } from '../kernel/work/handler.ts'
import { schedule, workItems } from '../kernel/work/records.ts'
import { quotaCounter } from '../organizations/quota.ts'
import { policyRuleSets } from '../policies/records.ts'
import { sessionRulesOf } from '../policies/signals.ts'
import type { ReviewHost } from '../review/deps.ts'
import { moveMarks } from './move-marks.ts'
import { completeAt, isJudgedAnew, withAgentOf, withSteps } from './session-state.ts'
import {
  completionKind,
  ensureScheduled,
  rehomeKind,
  rejudge,
  rejudgeKind,
  sealKind,
  sessionOfRef,
  sessionRef,
  workItemOf,
} from './work-kinds.ts'

type Changes = Omit<ChangeSet, 'tenant'>
type Row = Versioned<StoredSession>

/** Steps, traces or bundles that move in one commit. */
const piece = 200
/** How long a session waits for an erasure or a removal that is at work on it. */
const waitMs = 60_000

/** What moves sessions, and what keeps them where they are. */
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
  return {
    kind: rehomeKind,
    run: async (item, unit) => {
      const { tenantId, applicationId } = item
      if (tenantId === null || applicationId === null) return { next: null }
      const from: SessionKey = { tenantId, applicationId, sessionId: sessionOfRef(item.ref) }
      const to: SessionKey = { ...from, sessionId: (item.state as { readonly to: string }).to }
      const [foundFrom, foundTo] = await unit.read([from, to].map(sessionRead))
      const source = one(sessions, foundFrom)
      const target = one(sessions, foundTo)
      if (!target || (source && source.row.sealed !== null)) return { next: null }
      // What is being removed for its age goes whole: its keys are removed with it.
      if (source?.row.removing || target.row.removing) return { next: unit.now + waitMs }
      const { atWork, check } = await host.erasureAtWork(unit, source ? [source, target] : [target])
      if (atWork) return { next: unit.now + waitMs }
      const set =
        (source && (await movedSteps(unit, source, target))) ??
        (await movedMarks(host, unit, source, target, from)) ??
        (source && dissolution(source, target))
      return set
        ? { set: { ...set, checks: [...(set.checks ?? []), check] }, next: unit.now }
        : { next: null }
    },
  }
}

function sessionRead({ tenantId, applicationId, sessionId }: SessionKey) {
  return get(sessions, [tenantId, applicationId, sessionId])
}

/** A piece of the steps, and the traces, bundles and aliases that lead to the session; null once none is left. */
async function movedSteps(unit: UnitOfWork, source: Row, target: Row): Promise<Changes | null> {
  const { tenantId, applicationId, sessionId: to } = target.row
  const [
    foundSteps,
    foundTraces,
    foundBundles,
    foundAliases,
    foundSeal,
    foundDue,
    foundRules,
    foundRejudging,
  ] = await unit.read([
    stepsAfter(source.row, null, piece),
    rowsOf(traces.name, source.row),
    rowsOf(bundles.name, source.row),
    rowsOf(sessionAliases.name, source.row),
    workItemOf(sealKind, applicationId),
    workItemOf(completionKind, sessionRef(applicationId, to)),
    get(policyRuleSets, [tenantId, applicationId]),
    workItemOf(rejudgeKind, sessionRef(applicationId, to)),
  ])
  const moving = many(steps, foundSteps)
  const renamed = [
    ...many(traces, foundTraces).map((was) => put(traces, { ...was.row, sessionId: to }, was)),
    ...many(bundles, foundBundles).map((was) => put(bundles, { ...was.row, sessionId: to }, was)),
    ...many(sessionAliases, foundAliases)
      .filter(({ row }) => row.alias !== source.row.sessionId && row.alias !== to)
      .map((was) => put<SessionAlias>(sessionAliases, { ...was.row, sessionId: to }, was)),
  ]
  if (moving.length === 0 && renamed.length === 0) return null
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
  const rules = sessionRulesOf(one(policyRuleSets, foundRules))
  const anew = moving.some(({ row }) => row.openRules) || isJudgedAnew(rules, target.row, joined)
  const after: StoredSession = {
    ...joined,
    revision,
    lastReceivedAt: Math.max(target.row.lastReceivedAt, source.row.lastReceivedAt),
    ...(late && joins ? { sealDue: joined.sealDue ?? unit.now } : {}),
  }
  const puts: Put[] = [
    ...rows.map((row, at) => put(steps, row, moving[at] ?? null)),
    ...renamed,
    put(sessions, after, target),
  ]
  const seal =
    late && joins
      ? ensureScheduled(
          { kind: sealKind, ref: applicationId, tenantId, applicationId, due: unit.now },
          one(workItems, foundSeal),
        )
      : { puts: [], checks: [] }
  if (anew) puts.push(rejudge(target.row, unit.now, one(workItems, foundRejudging)))
  // A root that moved completes the session sooner.
  if (!late && after.rootEnded && !target.row.rootEnded) {
    const ref = sessionRef(applicationId, to)
    const due = { kind: completionKind, ref, tenantId, applicationId, due: completeAt(after) }
    puts.push(schedule(due, one(workItems, foundDue)))
  }
  const kept = leaving(source, 0)
  return {
    puts: [...puts, ...seal.puts, ...kept.puts],
    checks: [...seal.checks, ...kept.checks],
  }
}

/** A piece of the flags, annotations, reviews and cases; null once none is left. */
async function movedMarks(
  host: ReviewHost,
  unit: UnitOfWork,
  source: Row | null,
  target: Row,
  from: SessionKey,
): Promise<Changes | null> {
  const moved = await moveMarks({ host, unit, from, to: target.row })
  if (!moved) return null
  const { set, openFlags, reviewState = target.row.reviewState } = moved
  const after: StoredSession = {
    ...target.row,
    openFlags: Math.max(0, target.row.openFlags + openFlags.gained),
    reviewState,
  }
  const kept = source ? leaving(source, openFlags.lost) : { puts: [], checks: [] }
  return {
    ...set,
    puts: [put(sessions, after, target), ...kept.puts, ...(set.puts ?? [])],
    checks: [...(set.checks ?? []), ...kept.checks],
  }
}

/** A session that is being dissolved, with so many open flags less; it is not sealed any more. */
function leaving(
  was: Row,
  lost: number,
): { readonly puts: readonly Put[]; readonly checks: NonNullable<Changes['checks']> } {
  const { row, version } = was
  if (lost === 0 && row.sealDue === null)
    return { puts: [], checks: [{ in: sessions.name, key: keyOf(row), version }] }
  const openFlags = Math.max(0, row.openFlags - lost)
  return { puts: [put(sessions, { ...row, openFlags, sealDue: null }, was)], checks: [] }
}

/** The removal of a session that holds nothing any more; from then on its id leads to the other. Not counted. */
function dissolution({ row, version }: Row, target: Row): Changes {
  return {
    removes: [{ in: sessions.name, key: keyOf(row), version }],
    checks: [{ in: sessions.name, key: keyOf(target.row), version: target.version }],
    adds: [{ counter: quotaCounter(row.tenantId, row.receivedAt), delta: -1 }],
  }
}

function keyOf({ tenantId, applicationId, sessionId }: SessionKey) {
  return [tenantId, applicationId, sessionId] as const
}

function rowsOf(name: string, session: SessionKey) {
  return list({ name } as typeof traces, {
    by: 'bySession',
    where: ofSession(session),
    take: piece,
  })
}
