import type { Versioned } from '../../base/ports/store.ts'
import { type SessionKey, sessions, steps } from '../../content/records.ts'
import { sessionAliases, type Trace, traces } from '../../content/trace-records.ts'
import type { CustomerKeyActor } from '../../kernel/callers/actor.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { get, one } from '../../kernel/ledger/reads.ts'
import { askedOf, queryOf, rowUnder } from '../../kernel/query.ts'
import { quotaCounter } from '../../organizations/quota.ts'
import { signalReads } from '../../policies/signals.ts'
import { routings } from '../../webhooks/records.ts'
import { keyStanding } from '../standing.ts'
import { completionKind, rejudgeKind, sealKind, sessionRef, workItem } from '../work-kinds.ts'
import type { IncomingStep } from './incoming.ts'

/** Traces by their ids; null for one that is new. */
export type Traces = ReadonlyMap<string, Versioned<Trace> | null>

/** What a unit of work reads before it decides. */
export type First = Awaited<ReturnType<typeof readFirst>>

/** Reads it in one round trip, and in a second one the steps of traces that are known. */
export async function readFirst(
  unit: UnitOfWork,
  actor: CustomerKeyActor,
  key: SessionKey,
  incoming: readonly IncomingStep[],
) {
  const { tenantId, applicationId, sessionId } = key
  const traceIds = [...new Set(incoming.flatMap(({ trace }) => trace?.traceId ?? []))]
  const ref = sessionRef(applicationId, sessionId)
  const first = await askedOf(unit, {
    standing: keyStanding(actor),
    signals: queryOf(signalReads(tenantId, applicationId), (found) => found),
    routing: rowUnder(routings, [tenantId]),
    session: sessions.get(tenantId, applicationId, sessionId),
    alias: sessionAliases.get(tenantId, applicationId, sessionId),
    completion: workItem(completionKind, ref),
    seal: workItem(sealKind, applicationId),
    // The work that judges the session's steps again.
    rejudging: workItem(rejudgeKind, ref),
    // Sessions counted in this month.
    used: queryOf([{ counter: quotaCounter(tenantId, unit.now) }], ([used]) => used?.total ?? 0),
    tracesById: queryOf(
      traceIds.map((id) => get(traces, [tenantId, applicationId, id])),
      (found): Traces => new Map(traceIds.map((id, at) => [id, one(traces, found[at])])),
    ),
  })
  return { ...first, known: await storedBefore(unit, key, incoming, first.tracesById) }
}

/**
 * Which steps are stored already. None of a trace without a row: the commit of a span writes its trace's, and conflicts
 * where another wrote it in between.
 */
async function storedBefore(
  unit: UnitOfWork,
  { tenantId, applicationId }: SessionKey,
  incoming: readonly IncomingStep[],
  tracesById: Traces,
): Promise<readonly boolean[]> {
  const asked = incoming.filter(({ trace }) => trace === null || tracesById.get(trace.traceId))
  if (asked.length === 0) return incoming.map(() => false)
  const found = await unit.read(
    asked.map(({ scope, facts }) => get(steps, [tenantId, applicationId, scope, facts.stepId])),
  )
  const stored = new Set(asked.filter((_, at) => one(steps, found[at]) !== null))
  return incoming.map((step) => stored.has(step))
}
