import type { Slices } from '../../base/json/in-slices.ts'
import type { StoredSession } from '../../content/records.ts'
import type { Judged } from '../../policies/judged.ts'
import type { Signals } from '../../policies/signals.ts'
import { sessionFacts, withNames } from '../session-state.ts'
import { type IncomingStep, stepEffort } from './incoming.ts'
import { redactContents } from './redact-contents.ts'
import { type RedactedTexts, redactStepTexts, type StepTexts } from './redact-texts.ts'
import type { JudgedStep } from './stored-step.ts'

/** A step with what the rules found of it, redacted. */
export type JudgedFully = JudgedStep & { readonly judgement: Judged['judgement'] }

/** Redacts each step, after it was judged by what the session is once all of them have joined it. */
export function* judgeSteps(
  signals: Signals,
  fresh: readonly IncomingStep[],
  session: StoredSession,
  now: number,
  slices: Slices,
): Generator<undefined, readonly JudgedFully[]> {
  const redacted: RedactedTexts<StepTexts>[] = []
  for (const incoming of fresh) {
    if (slices.spend(stepEffort)) yield
    redacted.push(yield* redactStepTexts(signals.redactor, incoming, slices))
  }
  const about = sessionFacts(
    withNames(
      session,
      fresh.map(({ facts: { startedAt, dataSubjectId } }, at) => {
        const agent = redacted[at]?.texts.agent ?? null
        return { startedAt, dataSubjectId, agent }
      }),
    ),
  )
  const judged: JudgedFully[] = []
  for (const [at, incoming] of fresh.entries()) {
    const named = redacted[at]
    if (!named) continue
    if (slices.spend(stepEffort + signals.effort(incoming.size))) yield
    const { texts } = named
    const judgement = yield* signals.judgeStep(incoming.facts, about, now, slices, texts)
    const { contents, redactions, truncated } = yield* redactContents(
      signals.redactor,
      incoming,
      slices,
    )
    judged.push({
      incoming,
      texts,
      judgement,
      contents,
      results: judgement.results,
      openRules: judgement.open,
      redactions: redactions + named.redactions,
      truncated: truncated || named.cut,
    })
  }
  return judged
}
