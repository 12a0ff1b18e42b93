import type { Check, Found, Put, Read, Versioned } from '../../base/ports/store.ts'
import { type SessionKey, sessions } from '../../content/records.ts'
import {
  type SessionAlias,
  sessionAliases,
  type Trace,
  traces,
} from '../../content/trace-records.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { get, one, put } from '../../kernel/ledger/reads.ts'
import { schedule } from '../../kernel/work/records.ts'
import { rehomeKind, sessionRef } from '../work-kinds.ts'
import type { IncomingStep } from './incoming.ts'

type Traces = ReadonlyMap<string, Versioned<Trace> | null>

/** Sessions of traces that these steps name another one for: their steps may have to move. */
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

/** The reads whose answers `nameTraces` takes. */
export function sourceReads(
  { tenantId, applicationId }: SessionKey,
  sources: readonly string[],
): readonly Read[] {
  return sources.flatMap((sessionId) => [
    get(sessions, [tenantId, applicationId, sessionId]),
    get(sessionAliases, [tenantId, applicationId, sessionId]),
  ])
}

/**
 * Records the session of each new trace. A trace that gets its name only now leads there from now on: its own session
 * becomes an alias, whose steps a work item moves, unless it is sealed; until then it neither completes nor is sealed.
 */
export function nameTraces(
  { now }: UnitOfWork,
  { tenantId, applicationId, sessionId }: SessionKey,
  input: {
    readonly fresh: readonly IncomingStep[]
    readonly tracesById: Traces
    readonly sources: readonly string[]
    readonly found: readonly Found[]
  },
): { readonly puts: readonly Put[]; readonly checks: readonly Check[] } {
  const { fresh, tracesById, sources, found } = input
  const puts: Put[] = []
  const checks: Check[] = []
  const kept = new Set<string>()
  for (const [at, source] of sources.entries()) {
    const session = one(sessions, found[2 * at])
    const alias = one(sessionAliases, found[2 * at + 1])
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
    const of = fresh.filter(({ trace }) => trace?.traceId === traceId)
    if (of.length === 0) continue
    const named = of.some(({ trace }) => trace?.sessionId !== null)
    const leaves = was !== null && !was.row.named && named && !kept.has(was.row.sessionId)
    if (was === null || leaves)
      puts.push(put(traces, { tenantId, applicationId, traceId, sessionId, named }, was))
    else
      checks.push({
        in: traces.name,
        key: [tenantId, applicationId, traceId],
        version: was.version,
      })
  }
  return { puts, checks }
}
