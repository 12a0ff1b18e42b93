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
} from '../sessions/records.ts'

/** A step that joins a session, with what its row does not tell. */
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
    reviewState: null,
    revision: 1,
    sealed: null,
    sealDue: null,
  }
}

/** The session after these steps joined it; the order in which steps come makes no difference but to `models`. */
export function withSteps(session: StoredSession, joining: readonly Joining[]): StoredSession {
  return joining.reduce(withStep, session)
}

function withStep(session: StoredSession, { step, agent }: Joining): StoredSession {
  const startedAt = Math.min(session.startedAt, step.startedAt)
  const isRoot = step.parentStepId === null
  const known = step.model === null || session.models.includes(step.model)
  const subject = earliest(session.subjectFrom, session.dataSubjectId, step, step.dataSubjectId)
  const acting = earliest(session.agentFrom, session.agent, step, agent)
  return {
    ...session,
    startedAt,
    place: placeOf(startedAt, session.applicationId, session.sessionId),
    endedAt: Math.max(session.endedAt, step.endedAt),
    dataSubjectId: subject.value,
    subjectFrom: subject.from,
    agent: acting.value,
    agentFrom: acting.from,
    models:
      known || session.models.length >= mostModels
        ? session.models
        : [...session.models, step.model as string],
    tally: tallyWith(session.tally, step),
    rootEnded: session.rootEnded || isRoot,
    rootFailed: session.rootFailed || (isRoot && step.status === 'error'),
    payloadStatus: merged(session.payloadStatus, step.payloadStatus),
  }
}

/** What the earliest step that names one names; of equally early ones the lesser in text, whichever came first. */
function earliest<T extends string | Agent>(
  from: number | null,
  value: T | null,
  { startedAt }: StoredStep,
  given: T | null,
): { readonly from: number | null; readonly value: T | null } {
  if (given === null) return { from, value }
  const before =
    from === null ||
    startedAt < from ||
    (startedAt === from && JSON.stringify(given) < JSON.stringify(value))
  return before ? { from: startedAt, value: given } : { from, value }
}

function merged(
  session: StoredSession['payloadStatus'],
  step: StoredStep['payloadStatus'],
): StoredSession['payloadStatus'] {
  if (step === 'none' || session === step) return session
  return session === 'none' ? step : 'partly_erased'
}

function tallyWith(tally: SessionTally, step: StoredStep): SessionTally {
  const ok = step.status === 'ok'
  const guards = step.type === 'guardrail'
  return withScores(
    withResults(
      {
        ...tally,
        steps: tally.steps + 1,
        errors: tally.errors + (ok ? 0 : 1),
        guardrails: tally.guardrails + (guards ? 1 : 0),
        guardrailsOk: tally.guardrailsOk + (guards && ok ? 1 : 0),
        inputTokens: tally.inputTokens + (step.inputTokens ?? 0),
        outputTokens: tally.outputTokens + (step.outputTokens ?? 0),
      },
      step.policyResults,
    ),
    step.scores,
  )
}

/** The sums with these policy results. */
export function withResults(tally: SessionTally, results: readonly PolicyResult[]): SessionTally {
  if (results.length === 0) return tally
  const count = (effect: PolicyResult['effect']) =>
    results.filter((result) => result.effect === effect).length
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
