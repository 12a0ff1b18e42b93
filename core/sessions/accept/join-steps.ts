import { inSlices, type Slices } from '../../base/json/in-slices.ts'
import {
  type SessionKey,
  type StoredSession,
  type StoredStep,
  sessions,
  steps,
} from '../../content/records.ts'
import { sessionSubject } from '../../content/vault/pseudonym.ts'
import type { UnitOfWork } from '../../kernel/ledger/ledger.ts'
import { put } from '../../kernel/ledger/reads.ts'
import type { Parts } from '../../kernel/ports.ts'
import { consequencesOf } from '../../policies/consequences.ts'
import type { Judged } from '../../policies/judged.ts'
import { type Signals, signalsFrom } from '../../policies/signals.ts'
import type { IngestDeps } from '../deps.ts'
import { owedEvents } from '../owed-events.ts'
import { createBundle } from '../payloads.ts'
import { newSession, withSteps } from '../session-state.ts'
import { type KeyStanding, sceneOfKey } from '../standing.ts'
import type { IncomingStep } from './incoming.ts'
import { type JudgedFully, judgeSteps } from './judge-steps.ts'
import type { First } from './read-first.ts'
import type { Second } from './read-second.ts'
import { sealSteps, subjectsOf } from './seal-steps.ts'
import { storedStep } from './stored-step.ts'

/** New steps of one session, and what was read of it. */
export interface Joining {
  readonly deps: IngestDeps
  readonly unit: UnitOfWork
  readonly key: SessionKey
  readonly first: First
  readonly standing: KeyStanding
  readonly fresh: readonly IncomingStep[]
  readonly slices: Slices
}

/** Steps that were judged and redacted, before their contents are sealed. */
export interface Joined {
  readonly signals: Signals
  readonly judged: readonly JudgedFully[]
  readonly judgements: readonly Judged[]
  /** Without their payloads. */
  readonly rows: readonly StoredStep[]
  /** With these steps. */
  readonly session: StoredSession
}

/** Judges and redacts new steps, which join their session. */
export async function joinSteps({
  deps,
  unit: { now },
  key,
  first,
  fresh,
  slices,
}: Joining): Promise<Joined> {
  const startedAt = Math.min(...fresh.map(({ facts }) => facts.startedAt))
  const base = first.session?.row ?? newSession(key, { origin: 'otlp', startedAt, now })
  const late = base.completedAt !== null
  const revision = late ? base.revision + 1 : base.revision
  const signals = signalsFrom(key, first.signals, deps.sealer)
  const judged = await inSlices(judgeSteps(signals, fresh, base, now, slices), deps.pause)
  const rows = judged.map((each) => storedStep(key, each, { now, late, revision }))
  const joining = rows.map((step, at) => ({ step, agent: judged[at]?.texts.agent ?? null }))
  const judgements = judged.map(
    ({ judgement }, at): Judged => ({ judgement, step: rows[at] ?? null, payloads: [] }),
  )
  const session = { ...withSteps(base, joining), lastReceivedAt: now, revision }
  return { signals, judged, judgements, rows, session }
}

/** Steps whose contents are durable, with all that their judgements entail. */
export interface StoredSteps {
  /** As it is written. */
  readonly session: StoredSession
  /** Rows of session, steps and contents, then what follows of the judgements. */
  readonly parts: readonly Parts[]
  /** Deliveries of their events. */
  readonly owed: Parts
}

/** Seals the contents of steps and stores them in their bundle, before the commit that names it. */
export async function storeSteps(
  { deps, unit, key, first, standing, fresh, slices }: Joining,
  { judged, judgements, rows, session }: Joined,
  second: Second,
): Promise<StoredSteps> {
  const subjects = subjectsOf(fresh, session, key.sessionId)
  const sealing = deps.vault.sealing(unit, second.vault, key, [...subjects.values()])
  const bundle = createBundle(deps, unit, key, sealing)
  const own = session.dataSubjectId ?? sessionSubject(key.sessionId).subjectId
  await deps.pause()
  const sealed = await inSlices(sealSteps(rows, judged, own, bundle, slices), deps.pause)
  const scene = sceneOfKey(unit, first.routing, standing)
  const whole = judgements.map((each, at) => ({ ...each, payloads: sealed[at]?.payloads ?? [] }))
  const entailing = consequencesOf(deps, scene, key, whole, second.implied, slices)
  const entailed = await inSlices(entailing, deps.pause)
  const after = withFlags(session, entailed.flags, unit.now)
  const stored = rows.map((row, at) => {
    const { payloads, subject } = sealed[at] ?? row
    return { ...row, payloads, subject, policyResults: entailed.results[at] ?? [] }
  })
  const ended = bundle.end()
  if (ended) await deps.blobs.put([ended.blob])
  const puts = [
    put(sessions, after, first.session),
    ...stored.map((row) => put(steps, row, null)),
    ...(ended ? [ended.put] : []),
  ]
  return {
    session: after,
    parts: [{ puts }, sealing, entailed],
    owed: await owedEvents(deps, scene, key.tenantId, entailed.events, slices),
  }
}

/** A session with so many open flags more; one that was completed is sealed again. */
function withFlags(joined: StoredSession, flags: number, now: number): StoredSession {
  const session = { ...joined, openFlags: joined.openFlags + flags }
  if (joined.completedAt === null) return session
  const status = joined.rootFailed ? 'failed' : joined.status
  return { ...session, status, sealDue: joined.sealDue ?? now }
}
