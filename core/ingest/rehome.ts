import { get, list, many, one, put } from '../ledger/reads.ts'
import type { Put } from '../ports/store.ts'
import {
  bundles,
  quotaCounter,
  type SessionAlias,
  type SessionKey,
  type StoredSession,
  sessionAliases,
  sessions,
  steps,
  stepsAfter,
  traces,
} from '../sessions/records.ts'
import type { WorkHandler } from '../work/handler.ts'
import { schedule, workItems } from '../work/records.ts'
import { completeAt, withSteps } from './session-state.ts'
import {
  completionKind,
  ensureScheduled,
  rehomeKind,
  sealKind,
  sessionOfRef,
  sessionRef,
  workItemOf,
} from './work-kinds.ts'

/** Steps, traces or bundles that move in one commit. */
const piece = 200

/** Moves the steps of a session whose trace got its name late, in pieces, and dissolves it. */
export const rehoming: WorkHandler = {
  kind: rehomeKind,
  run: async (item, unit) => {
    const { tenantId, applicationId } = item
    if (tenantId === null || applicationId === null) return { next: null }
    const from: SessionKey = { tenantId, applicationId, sessionId: sessionOfRef(item.ref) }
    const { to } = item.state as { readonly to: string }
    const [
      foundFrom,
      foundTo,
      foundSteps,
      foundTraces,
      foundBundles,
      foundAliases,
      foundSeal,
      foundDue,
    ] = await unit.read([
      get(sessions, [tenantId, applicationId, from.sessionId]),
      get(sessions, [tenantId, applicationId, to]),
      stepsAfter(from, null, piece),
      ofSession(traces.name, from),
      ofSession(bundles.name, from),
      ofSession(sessionAliases.name, from),
      workItemOf(sealKind, applicationId),
      workItemOf(completionKind, sessionRef(applicationId, to)),
    ])
    const source = one(sessions, foundFrom)
    const target = one(sessions, foundTo)
    if (!source || !target || source.row.sealed !== null) return { next: null }
    const moving = many(steps, foundSteps)
    const late = target.row.completedAt !== null
    const revision = late && moving.length > 0 ? target.row.revision + 1 : target.row.revision
    const rows = moving.map((was) => ({
      was,
      row: { ...was.row, sessionId: to, revision, late: was.row.late || late },
    }))
    const renamed = [
      ...many(traces, foundTraces).map((was) => put(traces, { ...was.row, sessionId: to }, was)),
      ...many(bundles, foundBundles).map((was) => put(bundles, { ...was.row, sessionId: to }, was)),
      ...many(sessionAliases, foundAliases)
        .filter(({ row }) => row.alias !== from.sessionId && row.alias !== to)
        .map((was) => put<SessionAlias>(sessionAliases, { ...was.row, sessionId: to }, was)),
    ]
    const puts: Put[] = [...rows.map(({ row, was }) => put(steps, row, was)), ...renamed]
    const joined = withSteps(
      target.row,
      // The agent of a moved step is known of its session alone.
      rows.map(({ row }) => ({ step: row, agent: source.row.agent })),
    )
    const ends = moving.length < piece && renamed.length === 0
    const now = Math.max(target.row.lastReceivedAt, source.row.lastReceivedAt)
    const seal =
      late && moving.length > 0
        ? ensureScheduled(
            { kind: sealKind, ref: applicationId, tenantId, applicationId, due: unit.now },
            one(workItems, foundSeal),
          )
        : { puts: [], checks: [] }
    const after: StoredSession = {
      ...joined,
      revision,
      lastReceivedAt: now,
      openFlags: joined.openFlags + (ends ? source.row.openFlags : 0),
      ...(late && moving.length > 0 ? { sealDue: joined.sealDue ?? unit.now } : {}),
    }
    puts.push(put(sessions, after, target))
    // A root that moved completes the session sooner.
    if (!late && after.rootEnded && !target.row.rootEnded) {
      const ref = sessionRef(applicationId, to)
      const due = { kind: completionKind, ref, tenantId, applicationId, due: completeAt(after) }
      puts.push(schedule(due, one(workItems, foundDue)))
    }
    const key = [tenantId, applicationId, from.sessionId] as const
    return {
      set: {
        puts: [...puts, ...seal.puts],
        checks: ends
          ? seal.checks
          : [...seal.checks, { in: sessions.name, key, version: source.version }],
        removes: ends ? [{ in: sessions.name, key, version: source.version }] : [],
        // Dissolved sessions do not count.
        adds: ends ? [{ counter: quotaCounter(tenantId, source.row.receivedAt), delta: -1 }] : [],
      },
      next: ends ? null : unit.now,
    }
  },
}

function ofSession(name: string, { tenantId, applicationId, sessionId }: SessionKey) {
  return list({ name } as typeof traces, {
    by: 'bySession',
    where: [
      ['tenantId', '=', tenantId],
      ['applicationId', '=', applicationId],
      ['sessionId', '=', sessionId],
    ],
    take: piece,
  })
}
