import type { Found, Versioned } from '../../base/ports/store.ts'
import { type SessionKey, type StoredSession, sessions, steps } from '../../content/records.ts'
import { sessionAliases, type Trace, traces } from '../../content/trace-records.ts'
import type { CustomerKeyActor } from '../../kernel/callers/actor.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { get, inTurn, one } from '../../kernel/ledger/reads.ts'
import { type WorkItem, workItems } from '../../kernel/work/records.ts'
import { quotaCounter } from '../../organizations/quota.ts'
import { signalReadCount, signalReads } from '../../policies/signals.ts'
import { routingOf } from '../../webhooks/routing/fan-out.ts'
import { keyStandingReadCount, keyStandingReads } from '../standing.ts'
import { completionKind, rejudgeKind, sealKind, sessionRef, workItemOf } from '../work-kinds.ts'
import type { IncomingStep } from './incoming.ts'

/** What a unit of work reads before it decides. */
export interface First {
  readonly standing: readonly Found[]
  readonly signals: readonly Found[]
  readonly routed: Found | undefined
  readonly session: Versioned<StoredSession> | null
  readonly alias: boolean
  readonly completion: Versioned<WorkItem> | null
  readonly seal: Versioned<WorkItem> | null
  /** The work that judges the session's steps anew. */
  readonly rejudging: Versioned<WorkItem> | null
  /** Sessions counted in this month. */
  readonly used: number
  readonly known: readonly boolean[]
  readonly tracesById: ReadonlyMap<string, Versioned<Trace> | null>
}

/** Reads it in one round trip, and in a second one the steps of traces that are known. */
export async function readFirst(
  unit: UnitOfWork,
  actor: CustomerKeyActor,
  key: SessionKey,
  incoming: readonly IncomingStep[],
): Promise<First> {
  const { tenantId, applicationId, sessionId } = key
  const traceIds = [...new Set(incoming.flatMap(({ trace }) => trace?.traceId ?? []))]
  const found = await unit.read([
    ...keyStandingReads(actor),
    ...signalReads(tenantId, applicationId),
    routingOf(tenantId),
    get(sessions, [tenantId, applicationId, sessionId]),
    get(sessionAliases, [tenantId, applicationId, sessionId]),
    workItemOf(completionKind, sessionRef(applicationId, sessionId)),
    workItemOf(sealKind, applicationId),
    workItemOf(rejudgeKind, sessionRef(applicationId, sessionId)),
    { counter: quotaCounter(tenantId, unit.now) },
    ...traceIds.map((traceId) => get(traces, [tenantId, applicationId, traceId])),
  ])
  const take = inTurn(found)
  const standing = take(keyStandingReadCount)
  const signals = take(signalReadCount)
  const [routed, foundSession, alias, completion, seal, rejudging, used] = take(7)
  const rows = take(traceIds.length).map((each) => one(traces, each))
  const tracesById = new Map(traceIds.map((traceId, index) => [traceId, rows[index] ?? null]))
  return {
    standing,
    signals,
    routed,
    session: one(sessions, foundSession),
    alias: one(sessionAliases, alias) !== null,
    completion: one(workItems, completion),
    seal: one(workItems, seal),
    rejudging: one(workItems, rejudging),
    used: used?.total ?? 0,
    known: await storedBefore(unit, key, incoming, tracesById),
    tracesById,
  }
}

/**
 * Which steps are stored already. None of a trace without a row: the commit of a span writes its trace's, and conflicts
 * where another wrote it meanwhile.
 */
async function storedBefore(
  unit: UnitOfWork,
  { tenantId, applicationId }: SessionKey,
  incoming: readonly IncomingStep[],
  tracesById: First['tracesById'],
): Promise<readonly boolean[]> {
  const asked = incoming.filter(({ trace }) => trace === null || tracesById.get(trace.traceId))
  if (asked.length === 0) return incoming.map(() => false)
  const found = await unit.read(
    asked.map(({ scope, facts }) => get(steps, [tenantId, applicationId, scope, facts.stepId])),
  )
  const stored = new Set(asked.filter((_, at) => one(steps, found[at]) !== null))
  return incoming.map((step) => stored.has(step))
}
