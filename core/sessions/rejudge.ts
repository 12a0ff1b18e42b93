import { applicationOf } from '../applications/load.ts'
import { applications } from '../applications/records.ts'
import { createSlices, inSlices } from '../base/json/in-slices.ts'
import type { Versioned } from '../base/ports/store.ts'
import {
  type PolicyResult,
  type StoredSession,
  type StoredStep,
  sessions,
  steps,
  stepsAfter,
} from '../content/records.ts'
import { sessionAliases } from '../content/trace-records.ts'
import { many, one, unchanged } from '../kernel/ledger/reads.ts'
import { foundBy, queryOf } from '../kernel/query.ts'
import { handler, type WorkHandler } from '../kernel/work/handler.ts'
import { consequenceReads, consequencesOf } from '../policies/consequences.ts'
import type { Judged } from '../policies/judged.ts'
import { judgeAfter, judgementItemOf } from '../policies/judgement/item.ts'
import { policyRuleSets } from '../policies/records.ts'
import { judgeLate } from '../policies/rules/judge.ts'
import type { CompiledRule } from '../policies/rules/match.ts'
import type { SessionFacts } from '../policies/rules/shapes.ts'
import { sessionRulesOf } from '../policies/signals.ts'
import { sceneFrom } from '../review/execution/scene.ts'
import { routingOf } from '../webhooks/routing/fan-out.ts'
import type { IngestDeps } from './deps.ts'
import { owedEvents } from './owed-events.ts'
import { sessionFacts, withResults } from './session-state.ts'
import { rejudgeKind, sealAfter, sealKind, sessionOfRef, workItem } from './work-kinds.ts'

/** Steps that are judged again in one commit. */
const piece = 200

/**
 * Judges the stored steps of a session again, a piece a commit, by rules whose result depends on the session. What
 * follows is committed with the piece and marked `late`. A session that changes in between conflicts.
 */
export function createRejudging(
  deps: Pick<IngestDeps, 'intake' | 'sealer' | 'ingestUrl' | 'pause'>,
): WorkHandler {
  return handler<Progress | null>({
    kind: rejudgeKind,
    of: 'application',
    run: async (unit, { tenantId, applicationId, ref, state: progress }) => {
      const key = { tenantId, applicationId, sessionId: sessionOfRef(ref) }
      const after = progress?.after ?? null
      const { session, alias, applied, routed, ruleSet, found, seal } = await unit.ask({
        session: sessions.get(tenantId, applicationId, key.sessionId),
        alias: sessionAliases.get(tenantId, applicationId, key.sessionId),
        applied: foundBy(applicationOf(tenantId, applicationId)),
        routed: foundBy(routingOf(tenantId)),
        ruleSet: policyRuleSets.get(tenantId, applicationId),
        found: queryOf([stepsAfter(key, after, piece)], ([some]) => many(steps, some)),
        seal: workItem(sealKind, applicationId),
      })
      const application = one(applications, applied)
      if (!session || session.row.removing) return null
      // Its steps are judged again once they have moved to the session that it is an alias of.
      if (alias) return null
      const state = application?.row.lifecycleState
      if (!application || (state !== 'active' && state !== 'pending_deletion')) return null
      const rules = sessionRulesOf(ruleSet)
      if (rules.length === 0) return null

      const changes = changesOf(found, rules, session.row)
      const last = found.at(-1)?.row.place ?? null
      const goesOn = found.length === piece
      const step = { next: goesOn ? unit.now : null, state: { after: last } }
      unit.include({ checks: [unchanged(applications, application)] })
      if (changes.length === 0) return step

      const judged: readonly Judged[] = changes.map(({ was, added }) => ({
        judgement: judgeLate(added, was.row, unit.now),
        step: was.row,
        payloads: was.row.payloads,
      }))
      const reads = consequenceReads(key, judged)
      const implied = await unit.read([...reads, judgementItemOf(tenantId)])
      const scene = sceneFrom(unit, routed, applied)
      const slices = createSlices()
      const entailed = await inSlices(
        consequencesOf(deps, scene, key, judged, implied.slice(0, reads.length), slices),
        deps.pause,
      )
      const completed = session.row.completedAt !== null
      const revision = completed ? session.row.revision + 1 : session.row.revision
      const results = changes.map(({ back }, at) => [...back, ...(entailed.results[at] ?? [])])
      for (const [at, { was, kept, ceased, stillCeased }] of changes.entries()) {
        const added = (results[at] ?? []).map((result) =>
          completed ? { ...result, revision } : result,
        )
        const { ceasedResults: _, ...row } = was.row
        const gone = [...stillCeased, ...ceased]
        const next: StoredStep = {
          ...row,
          policyResults: [...kept, ...added],
          ...(gone.length > 0 && { ceasedResults: gone }),
        }
        unit.put(steps, next, was)
      }
      const { tally, openFlags, sealDue } = session.row
      const next: StoredSession = {
        ...session.row,
        tally: withResults(
          tally,
          results.flat(),
          changes.flatMap(({ ceased }) => ceased),
        ),
        openFlags: openFlags + entailed.flags,
        revision,
        ...(completed && { sealDue: sealDue ?? unit.now }),
      }
      unit.put(sessions, next, session)
      unit.include(entailed)
      unit.include(await owedEvents(deps, scene, tenantId, entailed.events, slices))
      if (completed) unit.include(sealAfter(key, unit.now, seal))
      if (entailed.results.flat().some(({ effect }) => effect === 'deny'))
        unit.include({ puts: judgeAfter({ tenantId, now: unit.now }, implied.at(-1)) })
      return step
    },
  })
}

/** Steps up to this one (its `place`) are judged. */
interface Progress {
  readonly after: string | null
}

/** What changes of one step. */
interface Change {
  readonly was: Versioned<StoredStep>
  /** Rules that match now and never did before. */
  readonly added: readonly CompiledRule[]
  /** Results that had ceased and hold again: their consequences were recorded when they first held. */
  readonly back: readonly PolicyResult[]
  readonly kept: readonly PolicyResult[]
  /** Results of rules that match no more. */
  readonly ceased: readonly PolicyResult[]
  readonly stillCeased: readonly PolicyResult[]
}

/**
 * The steps whose results differ now that the session has changed. Only versions in force judge; what was found by a
 * session that was complete stays.
 */
function changesOf(
  found: readonly Versioned<StoredStep>[],
  rules: readonly CompiledRule[],
  session: StoredSession,
): readonly Change[] {
  const facts: SessionFacts = sessionFacts(session)
  const inForce = new Map(
    rules.map((each): [string, { readonly rule: CompiledRule; readonly holds: boolean }] => [
      nameOf(each.rule),
      { rule: each, holds: each.holdsOf(facts) },
    ]),
  )
  return found.flatMap((was): Change | readonly never[] => {
    const { openRules = [], policyResults, ceasedResults = [] } = was.row
    const open = openRules.flatMap((each) => inForce.get(nameOf(each)) ?? [])
    const own = byRule(policyResults)
    const before = byRule(ceasedResults)
    const holding = open.filter(({ rule, holds }) => holds && !own.has(nameOf(rule.rule)))
    const back = holding.flatMap(({ rule }) => before.get(nameOf(rule.rule)) ?? [])
    const added = holding.filter(({ rule }) => !before.has(nameOf(rule.rule)))
    const ceased =
      session.completedAt === null
        ? open.flatMap(({ rule, holds }) => (holds ? [] : (own.get(nameOf(rule.rule)) ?? [])))
        : []
    if (holding.length + ceased.length === 0) return []
    return {
      was,
      added: added.map(({ rule }) => rule),
      back,
      kept: policyResults.filter((result) => !ceased.includes(result)),
      ceased,
      stillCeased: ceasedResults.filter((result) => !back.includes(result)),
    }
  })
}

/** Results of the service's rules by `nameOf` their rule. */
function byRule(results: readonly PolicyResult[]): ReadonlyMap<string, PolicyResult> {
  return new Map(
    results.flatMap((result) =>
      result.source === 'service' && result.ruleVersion !== null
        ? [[nameOf({ ruleId: result.ruleId, version: result.ruleVersion }), result] as const]
        : [],
    ),
  )
}

function nameOf({ ruleId, version }: { readonly ruleId: string; readonly version: number }) {
  return `${ruleId} ${version}`
}
