import { createSlices, inSlices } from '../../base/json/in-slices.ts'
import type { Check } from '../../base/ports/store.ts'
import { type SessionKey, type StoredSession, sessions, steps } from '../../content/records.ts'
import { sessionAliases } from '../../content/trace-records.ts'
import { sessionSubject } from '../../content/vault/pseudonym.ts'
import type { CustomerKeyActor } from '../../kernel/callers/actor.ts'
import { answer, commit, type Plan, refusal, type UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { put } from '../../kernel/ledger/reads.ts'
import { quotaCounter } from '../../organizations/quota.ts'
import { type Consequences, consequencesOf } from '../../policies/consequences.ts'
import type { Judged } from '../../policies/judged.ts'
import { judgeAfter } from '../../policies/judgement/item.ts'
import { signalsFrom } from '../../policies/signals.ts'
import { sceneFrom } from '../../review/execution/scene.ts'
import { fanOutInSlices } from '../../webhooks/routing/fan-out.ts'
import type { IngestDeps } from '../deps.ts'
import { createBundle } from '../payloads.ts'
import { isJudgedAnew, newSession, withSteps } from '../session-state.ts'
import { keyStandingOf } from '../standing.ts'
import { rejudge } from '../work-kinds.ts'
import { type Admitted, admitSteps } from './admit-steps.ts'
import type { IncomingStep } from './incoming.ts'
import { judgeSteps } from './judge-steps.ts'
import { nameTraces, sourcesOf } from './name-traces.ts'
import type { Openings } from './openings.ts'
import { readFirst } from './read-first.ts'
import { readSecond } from './read-second.ts'
import { sealSteps, subjectsOf } from './seal-steps.ts'
import { storedStep } from './stored-step.ts'
import { timeSession } from './time-session.ts'

/** What became of the steps of one unit of work. */
export interface Taken extends Pick<Admitted, 'rejected'> {
  /** Steps that are stored now, those that were before included. */
  readonly accepted: number
  /** Steps whose trace or session leads elsewhere meanwhile, and so must be placed again. */
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
  const key: SessionKey = { tenantId, applicationId, sessionId }
  const first = await readFirst(unit, actor, key, incoming)
  const standing = keyStandingOf(first.standing)
  if (!standing.ok) return refusal(standing)
  const { session, alias, tracesById } = first
  // A dissolved session is never begun again under its alias.
  if (!session && alias) return answer({ accepted: 0, rejected: null, moved: incoming })

  const quota = standing.value.plan.sessionsPerMonth
  const { fresh, known, rejected, moved } = admitSteps(unit, incoming, first, {
    sessionId,
    quota,
    openings,
  })
  if (fresh.length === 0) return answer({ accepted: known, rejected, moved })

  const late = session ? session.row.completedAt !== null : false
  const base =
    session?.row ??
    newSession(key, {
      origin: 'otlp',
      startedAt: Math.min(...fresh.map(({ facts }) => facts.startedAt)),
      now: unit.now,
    })
  const revision = late ? base.revision + 1 : base.revision
  const signals = signalsFrom(key, first.signals, deps.sealer)
  const slices = createSlices()
  const judged = await inSlices(judgeSteps(signals, fresh, base, unit.now, slices), deps.pause)
  const rows = judged.map((each) => storedStep(key, each, { now: unit.now, late, revision }))
  const joining = rows.map((step, at) => ({ step, agent: judged[at]?.texts.agent ?? null }))
  const joined = withSteps(base, joining)

  const anew = session !== null && isJudgedAnew(signals.sessionRules, session.row, joined)

  const subjects = subjectsOf(fresh, joined, sessionId)
  const judgements: Judged[] = judged.map(({ judgement }, at) => ({
    judgement,
    step: rows[at] ?? null,
    payloads: [],
  }))
  const sources = sourcesOf(tracesById, fresh, sessionId)
  const second = await readSecond(deps, unit, key, {
    subjectIds: [...subjects.keys()],
    judgements,
    sources,
  })

  const sealing = deps.vault.sealing(unit, second.vault, key, [...subjects.values()])
  const bundle = createBundle(deps, unit, key, sealing)
  const ownSubject = joined.dataSubjectId ?? sessionSubject(sessionId).subjectId
  await deps.pause()
  const sealed = await inSlices(sealSteps(rows, judged, ownSubject, bundle, slices), deps.pause)
  const scene = sceneFrom(unit, first.routed, first.standing[1])
  const entailing = consequencesOf(
    deps,
    scene,
    key,
    judgements.map((each, at) => ({ ...each, payloads: sealed[at]?.payloads ?? [] })),
    second.implied,
    slices,
  )
  const implied = await inSlices(entailing, deps.pause)
  const stored = sealed.map((row, at) => ({ ...row, policyResults: implied.results[at] ?? [] }))
  const after = sessionAfter(joined, { now: unit.now, late, revision, implied })
  const named = nameTraces(unit, key, { fresh, tracesById, sources, found: second.sources })
  const timed = timeSession(unit, session, after, first.completion, first.seal)
  const ended = bundle.end()
  if (ended) await deps.blobs.put([ended.blob])
  const fanning = fanOutInSlices(
    {
      routing: scene.routing,
      tenantId,
      events: implied.events,
      now: unit.now,
      id: unit.id,
      intake: deps.intake,
    },
    slices,
  )
  const owed = await inSlices(fanning, deps.pause)
  return commit(
    {
      puts: [
        put(sessions, after, session),
        ...stored.map((row) => put(steps, row, null)),
        ...(ended ? [ended.put] : []),
        ...sealing.puts,
        ...implied.puts,
        ...named.puts,
        ...timed.puts,
        ...(anew ? [rejudge(key, unit.now, first.rejudging)] : []),
        ...(second.denies ? judgeAfter({ tenantId, now: unit.now }, second.judgementItem) : []),
        ...owed.puts,
      ],
      checks: [
        ...standing.value.checks,
        ...signals.checks,
        ...sealing.checks,
        ...implied.checks,
        ...named.checks,
        ...timed.checks,
        ...owed.checks,
        ...(session ? [] : [noAlias(key)]),
      ],
      appends: implied.appends,
      adds: session ? [] : [{ counter: quotaCounter(tenantId, unit.now), delta: 1 }],
    },
    { accepted: known + fresh.length, rejected, moved },
  )
}

/** The session once its steps are stored; one that was completed is sealed anew. */
function sessionAfter(
  joined: StoredSession,
  told: {
    readonly now: number
    readonly late: boolean
    readonly revision: number
    readonly implied: Pick<Consequences, 'flags'>
  },
): StoredSession {
  const { now, late, revision, implied } = told
  return {
    ...joined,
    lastReceivedAt: now,
    openFlags: joined.openFlags + implied.flags,
    revision,
    ...(late
      ? {
          status: joined.rootFailed ? 'failed' : joined.status,
          sealDue: joined.sealDue ?? now,
        }
      : {}),
  }
}

/** A new session relies on its id being no alias. */
function noAlias({ tenantId, applicationId, sessionId }: SessionKey): Check {
  return { in: sessionAliases.name, key: [tenantId, applicationId, sessionId], version: 0 }
}
