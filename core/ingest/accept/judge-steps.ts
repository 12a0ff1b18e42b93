import type { Slices } from '../../json/in-slices.ts'
import type { StoredSession } from '../../sessions/records.ts'
import type { Judged } from '../../signals/judged.ts'
import type { SessionFacts } from '../../signals/policy/shapes.ts'
import type { Signals } from '../../signals/signals.ts'
import { type IncomingStep, stepEffort } from './incoming.ts'
import { redactContents } from './redact-contents.ts'
import type { JudgedStep } from './stored-step.ts'

/** A step with what the rules found of it, redacted. */
export type JudgedFully = JudgedStep & { readonly judgement: Judged['judgement'] }

/** Judges each step before its redaction. */
export function* judgeSteps(
  signals: Signals,
  fresh: readonly IncomingStep[],
  session: StoredSession,
  now: number,
  slices: Slices,
): Generator<undefined, readonly JudgedFully[]> {
  const judged: JudgedFully[] = []
  const about = sessionFacts(session)
  for (const incoming of fresh) {
    if (slices.spend(stepEffort + signals.effort(incoming.size))) yield
    const { facts } = incoming
    const judgement = yield* signals.judgeStep(facts, about, now, slices)
    const redacted = yield* redactContents(signals.redactor, incoming, slices)
    judged.push({ incoming, judgement, results: judgement.results, ...redacted })
  }
  return judged
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
