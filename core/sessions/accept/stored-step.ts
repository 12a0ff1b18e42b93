import type { OpenRule, PolicyResult, SessionKey, StoredStep } from '../../content/records.ts'
import { placeOf } from '../../content/records.ts'
import type { StepContents } from '../../policies/redaction/redact.ts'
import type { IncomingStep } from './incoming.ts'
import type { StepTexts } from './redact-texts.ts'

/** A step that was judged and redacted and then cut to its limits, before its contents are sealed. */
export interface JudgedStep {
  readonly incoming: IncomingStep
  readonly texts: StepTexts
  readonly results: readonly PolicyResult[]
  /** Rules whose result depends on the session; none of a submitted step, whose session is final. */
  readonly openRules?: readonly OpenRule[]
  readonly contents: StepContents
  readonly redactions: number
  /** Whether a name or a content was cut. */
  readonly truncated: boolean
}

/** The row of a step, without its payloads. */
export function storedStep(
  { tenantId, applicationId, sessionId }: SessionKey,
  { incoming, texts, results, openRules = [], contents, redactions, truncated }: JudgedStep,
  made: { readonly now: number; readonly late: boolean; readonly revision: number },
): StoredStep {
  const { facts, scope, subject } = incoming
  return {
    tenantId,
    applicationId,
    scope,
    stepId: facts.stepId,
    sessionId,
    place: placeOf(facts.startedAt, facts.stepId),
    parentStepId: facts.parentStepId,
    type: facts.type,
    name: texts.name,
    startedAt: facts.startedAt,
    endedAt: facts.endedAt,
    status: facts.status,
    model: texts.model,
    inputTokens: facts.inputTokens,
    outputTokens: facts.outputTokens,
    toolName: texts.toolName,
    dataSubjectId: subject?.subjectId ?? null,
    dataCategories: texts.dataCategories,
    checkpointId: texts.checkpointId,
    late: made.late,
    truncated,
    redactions,
    policyResults: results,
    ...(openRules.length > 0 && { openRules }),
    scores: texts.scores,
    payloads: [],
    payloadStatus: holdsContent(contents) ? 'readable' : 'none',
    subject: null,
    receivedAt: made.now,
    revision: made.revision,
    ...(incoming.incompleteAtSource && { incompleteAtSource: true }),
  }
}

function holdsContent({ input, output, attributes }: StepContents): boolean {
  return !isEmptyContent(input) || !isEmptyContent(output) || !isEmptyContent(attributes)
}

/** Whether there is nothing to seal. */
export function isEmptyContent(content: unknown): boolean {
  if (content === null || content === undefined) return true
  if (typeof content !== 'object' || Array.isArray(content)) return false
  for (const _ in content) return false
  return true
}
