import type { Check, Put, Versioned } from '../../base/ports/store.ts'
import { type SessionKey, type StoredSession, sessions } from '../../content/records.ts'
import { type SessionAlias, sessionAliases, traces } from '../../content/trace-records.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { get, inTurn, one, put, unchanged } from '../../kernel/ledger/reads.ts'
import type { Parts } from '../../kernel/ports.ts'
import { type Query, queryOf } from '../../kernel/query.ts'
import { schedule } from '../../kernel/work/records.ts'
import { rehomeKind, sessionRef } from '../work-kinds.ts'
import type { IncomingStep } from './incoming.ts'
import type { Traces } from './read-first.ts'

/** Present sessions of the traces for which these steps name another session; their steps may have to move to it. */
export function sourcesOf(
  tracesById: Traces,
  fresh: readonly IncomingStep[],
  sessionId: string,
): readonly string[] {
  const ids = fresh.flatMap(({ trace }) => {
    const row = trace && tracesById.get(trace.traceId)?.row
    const leaves = row && !row.named && trace.sessionId !== null && row.sessionId !== sessionId
    return leaves ? row.sessionId : []
  })
  return [...new Set(ids)]
}

/** A session that holds earlier steps of these traces. */
export interface Source {
  readonly id: string
  readonly session: Versioned<StoredSession> | null
  readonly alias: Versioned<SessionAlias> | null
}

/** Reads these sessions, each with the alias of the same id, if there is one. */
export function sourcesBy(
  { tenantId, applicationId }: SessionKey,
  ids: readonly string[],
): Query<readonly Source[]> {
  const reads = ids.flatMap((id) => [
    get(sessions, [tenantId, applicationId, id]),
    get(sessionAliases, [tenantId, applicationId, id]),
  ])
  return queryOf(reads, (found) => {
    const ofNext = inTurn(found)
    return ids.map((id) => {
      const [session, alias] = ofNext(2)
      return { id, session: one(sessions, session), alias: one(sessionAliases, alias) }
    })
  })
}

/**
 * Records the session of each new trace. A trace whose session is named only now leads to the named one from now on. The
 * session that it led to becomes an alias, unless it is sealed or was submitted: a work item moves its steps, and it
 * neither completes nor is sealed before they have moved.
 */
export function nameTraces(
  { now }: UnitOfWork,
  { tenantId, applicationId, sessionId }: SessionKey,
  input: {
    readonly fresh: readonly IncomingStep[]
    readonly tracesById: Traces
    readonly sources: readonly Source[]
  },
): Parts {
  const { fresh, tracesById, sources } = input
  const puts: Put[] = []
  const checks: Check[] = []
  const kept = new Set<string>()
  for (const { id: source, session, alias } of sources) {
    const key = [tenantId, applicationId, source] as const
    const stays = session !== null && (session.row.sealed !== null || session.row.origin !== 'otlp')
    if (!session || stays) checks.push({ in: sessions.name, key, version: session?.version ?? 0 })
    if (stays) kept.add(source)
    else if (session) {
      // Written, so that a completion or a seal that read it before conflicts.
      puts.push(put(sessions, { ...session.row, sealDue: null }, session))
      const row: SessionAlias = { tenantId, applicationId, alias: source, sessionId }
      puts.push(put(sessionAliases, row, alias))
      puts.push(
        schedule({
          kind: rehomeKind,
          ref: sessionRef(applicationId, source),
          tenantId,
          applicationId,
          due: now,
          state: { to: sessionId },
        }),
      )
    }
  }
  for (const [traceId, was] of tracesById) {
    const ofTrace = fresh.filter(({ trace }) => trace?.traceId === traceId)
    if (ofTrace.length === 0) continue
    const named = ofTrace.some(({ trace }) => trace?.sessionId !== null)
    const leaves = was !== null && !was.row.named && named && !kept.has(was.row.sessionId)
    if (was === null || leaves)
      puts.push(put(traces, { tenantId, applicationId, traceId, sessionId, named }, was))
    else checks.push(unchanged(traces, was))
  }
  return { puts, checks }
}
