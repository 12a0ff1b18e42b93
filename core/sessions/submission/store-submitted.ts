import type { Slices } from '../../base/json/in-slices.ts'
import type { StoredPayload } from '../../content/payload-records.ts'
import type { SessionKey, StoredSession, StoredStep } from '../../content/records.ts'
import {
  type SubjectName,
  sessionSubject,
  submissionSubject,
} from '../../content/vault/pseudonym.ts'
import type { Consequences } from '../../policies/consequences.ts'
import type { Judged } from '../../policies/judged.ts'
import type { SessionFacts } from '../../policies/rules/shapes.ts'
import type { Signals } from '../../policies/signals.ts'
import { stepEffort } from '../accept/incoming.ts'
import { redactContents } from '../accept/redact-contents.ts'
import { redactSessionTexts, redactStepTexts, type SessionTexts } from '../accept/redact-texts.ts'
import { type JudgedStep, storedStep } from '../accept/stored-step.ts'
import type { BundleWriter } from '../payloads.ts'
import { newSession, withResults, withScores, withSteps } from '../session-state.ts'
import type { Leaf } from './leaf.ts'

/** A submitted session that was judged and redacted, before its contents are sealed. */
export interface JudgedSession {
  readonly key: SessionKey
  readonly leaf: Leaf
  readonly agent: SessionTexts['agent']
  readonly scores: SessionTexts['scores']
  readonly steps: readonly JudgedStep[]
  readonly metadata: Readonly<Record<string, unknown>>
  /** Its steps, then the session as a whole. */
  readonly judged: readonly Judged[]
  /** Something was redacted, so that the submitted text may not be kept. */
  readonly redacted: boolean
}

/** Judges and redacts a submitted session and its steps, with pauses between. */
export function* judgeSubmitted(
  signals: Signals,
  key: SessionKey,
  leaf: Leaf,
  now: number,
  slices: Slices,
): Generator<undefined, JudgedSession> {
  const { session } = leaf
  const own = yield* redactSessionTexts(signals.redactor, session, slices)
  const { agent, scores, ownResults } = own.texts
  const facts: SessionFacts = {
    sessionId: key.sessionId,
    applicationId: key.applicationId,
    origin: 'submission',
    startedAt: session.startedAt,
    dataSubjectId: session.subject?.subjectId ?? null,
    agentName: agent?.name ?? null,
    agentVersion: agent?.version ?? null,
    metadata: session.metadata,
    scores: session.scores,
  }
  const judged: Judged[] = []
  const steps: JudgedStep[] = []
  for (const incoming of session.steps) {
    if (slices.spend(stepEffort + signals.effort(incoming.size))) yield
    const { texts, redactions, cut } = yield* redactStepTexts(signals.redactor, incoming, slices)
    const judgement = yield* signals.judgeStep(incoming.facts, facts, now, slices, texts)
    judged.push({ judgement, step: { ...incoming.facts, ...texts }, payloads: [] })
    const redacted = yield* redactContents(signals.redactor, incoming, slices)
    steps.push({
      incoming,
      texts,
      results: judgement.results,
      contents: redacted.contents,
      redactions: redacted.redactions + redactions,
      truncated: redacted.truncated || cut,
    })
  }
  const whole = signals.judgeSession(ownResults, facts, now)
  judged.push({ judgement: whole, step: null, payloads: [] })
  const { metadata, redactions } = yield* signals.redactor.metadata(session.metadata, slices)
  // What no policy knows is in the text alone.
  const unseen = signals.redactor.passes > 0 && session.hasOtherMembers
  const redacted =
    unseen || redactions + own.redactions > 0 || steps.some((step) => step.redactions > 0)
  return { key, leaf, agent, scores, steps, metadata, judged, redacted }
}

/** Whose key seals what a submitted session and its nameless steps hold. */
export function ownSubject({ session: { subject, sessionId } }: Leaf): SubjectName {
  return subject ?? sessionSubject(sessionId)
}

/** Whose key seals the submitted text: its only subject's, else its own. */
export function textSubject(leaf: Leaf): SubjectName {
  const own = ownSubject(leaf)
  const isShared = leaf.session.steps.some(
    ({ subject }) => subject !== null && subject.subjectId !== own.subjectId,
  )
  return isShared ? submissionSubject(leaf.session.sessionId) : own
}

/** A submitted session whose contents are in its bundle. */
export interface StoredSubmission {
  /** By step, in order. */
  readonly payloads: readonly (readonly StoredPayload[])[]
  /** The rows, once it is known what the judgements entail. */
  finish(
    entailed: Consequences,
    sealed: NonNullable<StoredSession['sealed']>,
  ): { readonly session: StoredSession; readonly steps: readonly StoredStep[] }
}

/** Seals the contents of a submitted session, with pauses between its steps. */
export function* storeSubmitted(
  { key, leaf, agent, scores, steps, metadata, redacted }: JudgedSession,
  bundle: BundleWriter,
  now: number,
  slices: Slices,
): Generator<undefined, StoredSubmission> {
  const { session, text } = leaf
  const own = ownSubject(leaf).subjectId
  const rows: StoredStep[] = []
  for (const each of steps) {
    if (slices.spend(stepEffort + each.incoming.size)) yield
    const row = storedStep(key, each, { now, late: false, revision: 1 })
    const subject = row.dataSubjectId ?? own
    const { input, output, attributes } = each.contents
    const payloads = bundle.add(subject, row.stepId, { input, output, attributes })
    rows.push({ ...row, payloads, subject: payloads.length > 0 ? subject : row.dataSubjectId })
  }
  const kept = bundle.add(own, null, { metadata })
  if (slices.spend(text.length)) yield
  // The text says what a redaction took out.
  const whole = redacted ? [] : bundle.addText(textSubject(leaf).subjectId, 'submission', text)
  const payloads = [...kept, ...whole]

  return {
    payloads: rows.map((row) => row.payloads),
    finish(entailed, sealed) {
      const stored = rows.map((row, at) => ({ ...row, policyResults: entailed.results[at] ?? [] }))
      const begun = newSession(key, { origin: 'submission', startedAt: session.startedAt, now })
      const joined = withSteps(
        begun,
        stored.map((step) => ({ step, agent: null })),
      )
      const results = entailed.results[rows.length] ?? []
      return {
        steps: stored,
        session: {
          ...joined,
          status: session.status,
          place: begun.place,
          startedAt: session.startedAt,
          endedAt: session.endedAt,
          completedAt: now,
          dataSubjectId: session.subject?.subjectId ?? joined.dataSubjectId,
          agent,
          tally: withScores(withResults(joined.tally, results), scores),
          policyResults: results,
          scores,
          payloads,
          payloadStatus: payloads.length > 0 ? 'readable' : joined.payloadStatus,
          openFlags: entailed.flags,
          sealed,
        },
      }
    },
  }
}
