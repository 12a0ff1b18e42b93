import { createSlices } from '../../base/json/in-slices.ts'
import type { SessionKey } from '../../content/records.ts'
import { sessionAliases } from '../../content/trace-records.ts'
import type { CustomerKeyActor } from '../../kernel/callers/actor.ts'
import { answer, commit, type Plan, refusal, type UnitOfWork } from '../../kernel/ledger/ledger.ts'
import type { Parts } from '../../kernel/ports.ts'
import { mergedParts } from '../../kernel/unit.ts'
import { quotaCounter } from '../../organizations/quota.ts'
import { judgeAfter } from '../../policies/judgement/item.ts'
import type { IngestDeps } from '../deps.ts'
import { needsRejudging } from '../session-state.ts'
import { rejudge } from '../work-kinds.ts'
import { type Admitted, admitSteps } from './admit-steps.ts'
import type { IncomingStep } from './incoming.ts'
import { joinSteps, storeSteps } from './join-steps.ts'
import { nameTraces, sourcesOf } from './name-traces.ts'
import type { Openings } from './openings.ts'
import { readFirst } from './read-first.ts'
import { readSecond } from './read-second.ts'
import { subjectsOf } from './seal-steps.ts'
import { timeSession } from './time-session.ts'

/** What became of the steps of one unit of work. */
export interface Taken extends Pick<Admitted, 'rejected'> {
  /** Steps that are stored now, those that were before included. */
  readonly accepted: number
  /** Steps whose trace or session leads elsewhere by now: they must be placed again. */
  readonly moved: readonly IncomingStep[]
}

/** Steps for one session, by a customer key. */
export interface StepsFor {
  readonly actor: CustomerKeyActor
  readonly sessionId: string
  readonly incoming: readonly IncomingStep[]
  /** Shared by the units of work of one export. */
  readonly openings: Openings
}

/**
 * Takes the steps of one session: each is judged, redacted, sealed and stored once, in one commit with its events, the
 * cases that it opens and the session's sums. The contents are durable before that commit.
 */
export async function planSteps(
  deps: IngestDeps,
  unit: UnitOfWork,
  { actor, sessionId, incoming, openings }: StepsFor,
): Promise<Plan<Taken>> {
  const { tenantId, applicationId } = actor
  const key = { tenantId, applicationId, sessionId }
  const first = await readFirst(unit, actor, key, incoming)
  const { standing, session: was, alias, tracesById } = first
  if (!standing.ok) return refusal(standing)
  // A dissolved session is never begun again under its alias.
  if (!was && alias) return answer({ accepted: 0, rejected: null, moved: incoming })
  const quota = standing.value.plan.sessionsPerMonth
  const admitted = admitSteps(unit, incoming, first, { sessionId, quota, openings })
  const { fresh, known, rejected, moved } = admitted
  if (fresh.length === 0) return answer({ accepted: known, rejected, moved })

  const rest = { standing: standing.value, slices: createSlices() }
  const joining = { deps, unit, key, first, fresh, ...rest }
  const joined = await joinSteps(joining)
  const second = await readSecond(deps, unit, key, {
    subjectIds: [...subjectsOf(fresh, joined.session, sessionId).keys()],
    judgements: joined.judgements,
    sources: sourcesOf(tracesById, fresh, sessionId),
  })
  const stored = await storeSteps(joining, joined, second)
  const isRejudged =
    was !== null && needsRejudging(joined.signals.sessionRules, was.row, joined.session)
  const set = mergedParts([
    standing.value,
    { checks: joined.signals.checks },
    ...stored.parts,
    nameTraces(unit, key, { fresh, tracesById, sources: second.sources }),
    timeSession(unit, was, stored.session, first),
    { puts: isRejudged ? [rejudge(key, unit.now, first.rejudging)] : [] },
    { puts: second.denies ? judgeAfter({ tenantId, now: unit.now }, second.judgementItem) : [] },
    stored.owed,
    was ? {} : begun(key, unit.now),
  ])
  return commit(set, { accepted: known + fresh.length, rejected, moved })
}

/** A new session counts, and relies on its id being no alias. */
function begun({ tenantId, applicationId, sessionId }: SessionKey, now: number): Parts {
  return {
    checks: [{ in: sessionAliases.name, key: [tenantId, applicationId, sessionId], version: 0 }],
    adds: [{ counter: quotaCounter(tenantId, now), delta: 1 }],
  }
}
