import {
  type Agent,
  type PolicyResult,
  placeOf,
  type SessionKey,
  type SessionOrigin,
  type SessionTally,
  type StoredScore,
  type StoredSession,
  type StoredStep,
} from '../content/records.ts'
import type { CompiledRule } from '../policies/rules/match.ts'
import type { SessionFacts } from '../policies/rules/shapes.ts'

/** A step that joins a session, and the agent that it named. */
export interface Joining {
  readonly step: StoredStep
  readonly agent: Agent | null
}

const emptyTally: SessionTally = {
  steps: 0,
  errors: 0,
  guardrails: 0,
  guardrailsOk: 0,
  inputTokens: 0,
  outputTokens: 0,
  scores: 0,
  scoreSum: 0,
  allow: 0,
  deny: 0,
  requireReview: 0,
}

/** Models that a session's row names. */
const mostModels = 50

/** A session that begins with its first data. */
export function newSession(
  key: SessionKey,
  { origin, startedAt, now }: { origin: SessionOrigin; startedAt: number; now: number },
): StoredSession {
  const { tenantId, applicationId, sessionId } = key
  return {
    tenantId,
    applicationId,
    sessionId,
    place: placeOf(startedAt, applicationId, sessionId),
    origin,
    status: 'running',
    startedAt,
    endedAt: startedAt,
    receivedAt: now,
    lastReceivedAt: now,
    completedAt: null,
    dataSubjectId: null,
    subjectFrom: null,
    agent: null,
    agentFrom: null,
    models: [],
    tally: emptyTally,
    rootEnded: false,
    rootFailed: false,
    policyResults: [],
    scores: [],
    payloads: [],
    payloadStatus: 'none',
    quality: null,
    openFlags: 0,
    flagged: 0,
    openCases: 0,
    underReview: 0,
    reviewState: null,
    revision: 1,
    sealed: null,
    sealDue: null,
  }
}

/** What names a session's subject and agent, of one of its steps. */
export interface Naming {
  readonly startedAt: number
  readonly dataSubjectId: string | null
  readonly agent: Agent | null
}

/**
 * The session with the subject and the agent that the earliest of its steps name; one whose keys an erasure destroyed
 * keeps its subject, since the erasure finds what lay under them by whose the session is.
 */
export function withNames(session: StoredSession, namings: readonly Naming[]): StoredSession {
  let subject: Earliest<string> = { from: session.subjectFrom, value: session.dataSubjectId }
  let acting: Earliest<Agent> = { from: session.agentFrom, value: session.agent }
  for (const { startedAt, dataSubjectId, agent } of namings) {
    if (!session.erasing || dataSubjectId === session.dataSubjectId)
      subject = earliest(subject, startedAt, dataSubjectId)
    acting = earliest(acting, startedAt, agent)
  }
  return {
    ...session,
    dataSubjectId: subject.value,
    subjectFrom: subject.from,
    agent: acting.value,
    agentFrom: acting.from,
  }
}

/** The session with the agent of another whose steps join it. */
export function withAgentOf(session: StoredSession, other: StoredSession): StoredSession {
  if (other.agentFrom === null) return session
  return withNames(session, [
    { startedAt: other.agentFrom, dataSubjectId: null, agent: other.agent },
  ])
}

/** A session as rules see it. */
export function sessionFacts(session: StoredSession): SessionFacts {
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

/** Whether rules that hold of a session before may not hold after, or the reverse. */
export function needsRejudging(
  rules: readonly Pick<CompiledRule, 'holdsOf'>[],
  before: StoredSession,
  after: StoredSession,
): boolean {
  const [was, is] = [sessionFacts(before), sessionFacts(after)]
  return rules.some((rule) => rule.holdsOf(was) !== rule.holdsOf(is))
}

/** The session after these steps joined it; the order in which steps come makes no difference. */
export function withSteps(session: StoredSession, joining: readonly Joining[]): StoredSession {
  if (joining.length === 0) return session
  let { startedAt, endedAt, rootEnded, rootFailed, payloadStatus } = session
  const models = new Set(session.models)
  for (const { step } of joining) {
    startedAt = Math.min(startedAt, step.startedAt)
    endedAt = Math.max(endedAt, step.endedAt)
    if (step.model !== null) models.add(step.model)
    if (step.parentStepId === null) {
      rootEnded = true
      rootFailed ||= step.status === 'error'
    }
    payloadStatus = merged(payloadStatus, step.payloadStatus)
  }
  const namings = joining.map(({ step: { startedAt, dataSubjectId }, agent }) => ({
    startedAt,
    dataSubjectId,
    agent,
  }))
  return {
    ...withNames(session, namings),
    startedAt,
    place: placeOf(startedAt, session.applicationId, session.sessionId),
    endedAt,
    models: [...models].toSorted().slice(0, mostModels),
    tally: tallyWith(
      session.tally,
      joining.map(({ step }) => step),
    ),
    rootEnded,
    rootFailed,
    payloadStatus,
    ...(joining.some(({ step }) => step.incompleteAtSource) && { incompleteAtSource: true }),
  }
}

/** What the earliest step that names one names, and when that step began. */
interface Earliest<T> {
  readonly from: number | null
  readonly value: T | null
}

/** Of equally early steps the value that is lesser as text wins, in whatever order they came. */
function earliest<T extends string | Agent>(
  before: Earliest<T>,
  startedAt: number,
  given: T | null,
): Earliest<T> {
  const { from, value } = before
  if (given === null || (startedAt === from && isSame(given, value))) return before
  const isFirst =
    from === null ||
    startedAt < from ||
    (startedAt === from && JSON.stringify(given) < JSON.stringify(value))
  return isFirst ? { from: startedAt, value: given } : before
}

function isSame(one: string | Agent, other: string | Agent | null): boolean {
  if (typeof one === 'string' || typeof other === 'string' || other === null) return one === other
  return one.name === other.name && one.version === other.version
}

function merged(
  session: StoredSession['payloadStatus'],
  step: StoredStep['payloadStatus'],
): StoredSession['payloadStatus'] {
  if (step === 'none' || session === step) return session
  return session === 'none' ? step : 'partly_erased'
}

function tallyWith(tally: SessionTally, steps: readonly StoredStep[]): SessionTally {
  const sums = { ...tally, steps: tally.steps + steps.length }
  for (const { status, type, inputTokens, outputTokens } of steps) {
    if (status !== 'ok') sums.errors++
    if (type === 'guardrail') {
      sums.guardrails++
      if (status === 'ok') sums.guardrailsOk++
    }
    sums.inputTokens += inputTokens ?? 0
    sums.outputTokens += outputTokens ?? 0
  }
  const results = steps.flatMap(({ policyResults }) => policyResults)
  const scores = steps.flatMap((step) => step.scores)
  return withScores(withResults(sums, results), scores)
}

/** The sums with these policy results, and without those that ceased to hold. */
export function withResults(
  tally: SessionTally,
  results: readonly PolicyResult[],
  ceased: readonly PolicyResult[] = [],
): SessionTally {
  if (results.length + ceased.length === 0) return tally
  const count = (effect: PolicyResult['effect']) =>
    results.filter((result) => result.effect === effect).length -
    ceased.filter((result) => result.effect === effect).length
  return {
    ...tally,
    allow: tally.allow + count('allow'),
    deny: tally.deny + count('deny'),
    requireReview: tally.requireReview + count('require_review'),
  }
}

/** The sums with these ingested scores; only those within 0..1 count. */
export function withScores(tally: SessionTally, scores: readonly StoredScore[]): SessionTally {
  const within = scores.filter(({ value }) => value >= 0 && value <= 1)
  if (within.length === 0) return tally
  return {
    ...tally,
    scores: tally.scores + within.length,
    scoreSum: within.reduce((sum, { value }) => sum + value, tally.scoreSum),
  }
}

/** Without a span for so long a session with an ended root is complete, and one without. */
export const quietMs = { ended: 60_000, open: 1_800_000 } as const
/** How long after its completion a session takes late spans. */
export const lateMs: number = 24 * 60 * 60_000

/** When a running session is complete, unless more comes. */
export function completeAt({ rootEnded, lastReceivedAt }: StoredSession): number {
  return lastReceivedAt + (rootEnded ? quietMs.ended : quietMs.open)
}
