import type { CustomerKeyActor } from '../../access/actor.ts'
import { createSlices, inSlices, type Slices } from '../../json/in-slices.ts'
import { answer, commit, type Plan, refusal, type UnitOfWork } from '../../ledger/ledger.ts'
import { ingestLimits } from '../../ledger/limits.ts'
import { put } from '../../ledger/reads.ts'
import type { Put, Versioned } from '../../ports/store.ts'
import { type SubjectName, sessionSubject } from '../../privacy/pseudonym.ts'
import { sceneFrom } from '../../review/execution/scene.ts'
import {
  quotaCounter,
  type SessionKey,
  type StoredSession,
  type StoredStep,
  sessions,
  steps,
} from '../../sessions/records.ts'
import type { RejectionReason } from '../../sessions/span.ts'
import { sessionAliases } from '../../sessions/trace-records.ts'
import {
  type Consequences,
  consequenceReads,
  consequencesOf,
  type Judged,
} from '../../signals/consequences.ts'
import { judgeAfter, judgementOf } from '../../signals/judgement/item.ts'
import type { SessionFacts } from '../../signals/policy/shapes.ts'
import { type Signals, signalsFrom } from '../../signals/signals.ts'
import { fanOutInSlices } from '../../webhooks/routing/fan-out.ts'
import { schedule, type WorkItem } from '../../work/records.ts'
import type { IngestDeps } from '../deps.ts'
import { type BundleWriter, createBundle } from '../payloads.ts'
import { completeAt, lateMs, newSession, withSteps } from '../session-state.ts'
import { keyStandingOf } from '../standing.ts'
import { completionKind, ensureScheduled, sealKind, sessionRef } from '../work-kinds.ts'
import { type IncomingStep, stepEffort } from './incoming.ts'
import { nameTraces, sourceReads, sourcesOf } from './name-traces.ts'
import { type First, readFirst } from './read-first.ts'
import { type JudgedStep, storedStep } from './stored-step.ts'

type Rejection = Extract<RejectionReason, 'over_quota' | 'too_late' | 'session_full'>

/** What became of the steps of one unit of work. */
export interface Taken {
  /** Steps that are stored now, those that were before included. */
  readonly accepted: number
  readonly rejected: { readonly reason: Rejection; readonly steps: number } | null
  /** Steps whose trace or session leads elsewhere meanwhile, and so must be placed again. */
  readonly moved: readonly IncomingStep[]
}

/** Steps for one session, by a customer key. */
export interface StepsFor {
  readonly actor: CustomerKeyActor
  readonly sessionId: string
  readonly incoming: readonly IncomingStep[]
}

/**
 * Takes the steps of one session: each is judged, redacted, sealed and stored once, in one commit with its events, the
 * cases that it opens and the session's sums. The contents are durable before that commit.
 */
export async function planSteps(
  deps: IngestDeps,
  unit: UnitOfWork,
  { actor, sessionId, incoming }: StepsFor,
): Promise<Plan<Taken>> {
  const { tenantId, applicationId } = actor
  const key: SessionKey = { tenantId, applicationId, sessionId }
  const first = await readFirst(unit, actor, key, incoming)
  const standing = keyStandingOf(actor, first.standing)
  if (!standing.ok) return refusal(standing)
  const { session, alias, tracesById } = first
  // A dissolved session is never begun again under its alias.
  if (!session && alias) return answer({ accepted: 0, rejected: null, moved: incoming })

  const { known, moved, ...sorted } = sortOut(incoming, first, sessionId)
  const { plan } = standing.value
  const reason = rejection(unit, session?.row ?? null, plan.sessionsPerMonth, first.used)
  const room = ingestLimits.stepsPerSession - (session?.row.tally.steps ?? 0)
  const fresh = reason === null ? sorted.fresh.slice(0, Math.max(0, room)) : []
  const left = sorted.fresh.length - fresh.length
  const rejected = left > 0 ? { reason: reason ?? 'session_full', steps: left } : null
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
  const judging = judgeSteps(signals, fresh, sessionFacts(base), unit.now, slices)
  const judged = await inSlices(judging, deps.pause)
  const rows = judged.map((each) => storedStep(key, each, { now: unit.now, late, revision }))
  const joining = rows.map((step, at) => ({ step, agent: fresh[at]?.agent ?? null }))
  const joined = withSteps(base, joining)

  const subjects = subjectsOf(fresh, joined, sessionId)
  const judgements: Judged[] = judged.map(({ judgement }, at) => ({
    judgement,
    step: rows[at] ?? null,
    payloads: [],
  }))
  const sources = sourcesOf(tracesById, fresh, sessionId)
  const vaultReads = deps.vault.reads(key, [...subjects.keys()])
  const impliedReads = consequenceReads(key, judgements)
  const denies = judgements.some(({ judgement }) =>
    judgement.results.some(({ effect }) => effect === 'deny'),
  )
  const second = await unit.read([
    ...vaultReads,
    ...impliedReads,
    ...(denies ? [judgementOf(tenantId)] : []),
    ...sourceReads(key, sources),
  ])
  const foundVault = second.slice(0, vaultReads.length)
  const foundImplied = second.slice(vaultReads.length, vaultReads.length + impliedReads.length)
  const rest = second.slice(vaultReads.length + impliedReads.length)
  const [foundJudgement] = rest
  const foundSources = denies ? rest.slice(1) : rest

  const sealing = deps.vault.sealing(unit, foundVault, key, [...subjects.values()])
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
    foundImplied,
    slices,
  )
  const implied = await inSlices(entailing, deps.pause)
  const stored = sealed.map((row, at) => ({ ...row, policyResults: implied.results[at] ?? [] }))
  const after: StoredSession = {
    ...joined,
    lastReceivedAt: unit.now,
    openFlags: joined.openFlags + implied.flags,
    revision,
    ...(late
      ? {
          status: joined.rootFailed ? 'failed' : joined.status,
          sealDue: joined.sealDue ?? unit.now,
        }
      : {}),
  }
  const named = nameTraces(unit, key, { fresh, tracesById, sources, found: foundSources })
  const timed = timing(unit, session, after, first.completion, first.seal)
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
        ...(denies ? judgeAfter({ tenantId, now: unit.now }, foundJudgement) : []),
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
        ...(session
          ? []
          : [
              {
                in: sessionAliases.name,
                key: [tenantId, applicationId, sessionId],
                version: 0,
              } as const,
            ]),
      ],
      appends: implied.appends,
      adds: session ? [] : [{ counter: quotaCounter(tenantId, unit.now), delta: 1 }],
    },
    { accepted: known + fresh.length, rejected, moved },
  )
}

/** New steps, each once; how many are stored already; and those whose trace leads to another session by now. */
function sortOut(
  incoming: readonly IncomingStep[],
  { known, tracesById }: First,
  sessionId: string,
): {
  readonly fresh: readonly IncomingStep[]
  readonly known: number
  readonly moved: readonly IncomingStep[]
} {
  const fresh = new Map<string, IncomingStep>()
  const moved: IncomingStep[] = []
  let before = 0
  for (const [at, step] of incoming.entries()) {
    const trace = step.trace && tracesById.get(step.trace.traceId)
    const { stepId } = step.facts
    if (known[at] || fresh.has(stepId)) before++
    else if (trace && step.trace?.sessionId === null && trace.row.sessionId !== sessionId)
      moved.push(step)
    else fresh.set(stepId, step)
  }
  return { fresh: [...fresh.values()], known: before, moved }
}

function rejection(
  unit: UnitOfWork,
  session: StoredSession | null,
  quota: number | null,
  used: number,
): Rejection | null {
  if (!session) return quota !== null && used >= quota ? 'over_quota' : null
  if (session.origin === 'submission') return 'too_late'
  const { completedAt } = session
  return completedAt !== null && unit.now > completedAt + lateMs ? 'too_late' : null
}

type JudgedFully = JudgedStep & { readonly judgement: Judged['judgement'] }

function* judgeSteps(
  signals: Signals,
  fresh: readonly IncomingStep[],
  session: SessionFacts,
  now: number,
  slices: Slices,
): Generator<undefined, readonly JudgedFully[]> {
  const judged: JudgedFully[] = []
  for (const incoming of fresh) {
    if (slices.spend(stepEffort + signals.effort(incoming.size))) yield
    const { facts } = incoming
    const judgement = signals.judgeStep(facts, session, now)
    const { redactions, ...contents } = signals.redactor.step(facts.type, {
      input: facts.input,
      output: facts.output,
      attributes: facts.attributes,
    })
    judged.push({ incoming, judgement, results: judgement.results, contents, redactions })
  }
  return judged
}

/** The steps with their contents in the bundle. */
function* sealSteps(
  rows: readonly StoredStep[],
  judged: readonly JudgedStep[],
  ownSubject: string,
  bundle: BundleWriter,
  slices: Slices,
): Generator<undefined, readonly StoredStep[]> {
  const sealed: StoredStep[] = []
  for (const [at, row] of rows.entries()) {
    const { incoming, contents } = judged[at] as JudgedStep
    if (slices.spend(stepEffort + incoming.size)) yield
    const subject = row.dataSubjectId ?? ownSubject
    const payloads = (['input', 'output', 'attributes'] as const).flatMap(
      (field) => bundle.add(subject, row.stepId, field, contents[field]) ?? [],
    )
    sealed.push({ ...row, payloads, subject: payloads.length > 0 ? subject : row.dataSubjectId })
  }
  return sealed
}

function sessionFacts(session: StoredSession): SessionFacts {
  const { sessionId, applicationId, origin, startedAt, dataSubjectId, agent, scores } = session
  return {
    sessionId,
    applicationId,
    origin,
    startedAt,
    dataSubjectId,
    agentName: agent?.name ?? null,
    agentVersion: agent?.version ?? null,
    metadata: {},
    scores,
  }
}

/** Everyone whose key may seal a content of these steps. */
function subjectsOf(
  fresh: readonly IncomingStep[],
  session: StoredSession,
  sessionId: string,
): ReadonlyMap<string, SubjectName> {
  const own = sessionSubject(sessionId)
  const { dataSubjectId } = session
  const subjects = new Map<string, SubjectName>()
  if (dataSubjectId === null) subjects.set(own.subjectId, own)
  else subjects.set(dataSubjectId, { subjectId: dataSubjectId, rawId: null })
  for (const { subject } of fresh)
    if (subject && !subjects.get(subject.subjectId)?.rawId) subjects.set(subject.subjectId, subject)
  return subjects
}

/** Schedules completion, earlier once the root has ended, and the seal of what came late. */
function timing(
  unit: UnitOfWork,
  before: Versioned<StoredSession> | null,
  after: StoredSession,
  completion: Versioned<WorkItem> | null,
  seal: Versioned<WorkItem> | null,
): Pick<Consequences, 'puts' | 'checks'> {
  const { tenantId, applicationId, sessionId } = after
  if (after.completedAt !== null) {
    const item = { kind: sealKind, ref: applicationId, tenantId, applicationId, due: unit.now }
    return ensureScheduled(item, seal)
  }
  const sooner = after.rootEnded && !before?.row.rootEnded
  if (completion && !sooner) return { puts: [], checks: [] }
  const ref = sessionRef(applicationId, sessionId)
  const item = { kind: completionKind, ref, tenantId, applicationId, due: completeAt(after) }
  const puts: readonly Put[] = [schedule(item, completion)]
  return { puts, checks: [] }
}
