import type { Agent } from '../../content/records.ts'
import { type NormalSpan, parentStepIdOf, stepIdOf } from '../../content/span.ts'
import type { SubjectName } from '../../content/vault/pseudonym.ts'
import type { Pseudonyms } from '../../content/vault/vault.ts'
import type { StepFacts } from '../../policies/rules/shapes.ts'

/** A step as it comes, in clear text, whichever way it came. */
export interface IncomingStep {
  /** Empty for a span, else the session. */
  readonly scope: string
  readonly facts: StepFacts
  /** What the step itself names. */
  readonly subject: SubjectName | null
  readonly agent: Agent | null
  readonly truncated: boolean
  /** Whether its source dropped something of it. */
  readonly incompleteAtSource: boolean
  /** About how many characters of content it has. */
  readonly size: number
  readonly trace: {
    readonly traceId: string
    /** What the span, or a sibling in the same export, names; null where nothing does. */
    readonly sessionId: string | null
  } | null
}

/** The resource's attributes, as one attribute of the span. */
const resourceKey = 'otel.resource'

/** A span as a step. */
export function incomingSpan(
  span: NormalSpan,
  sessionId: string | null,
  { subjectOf }: Pseudonyms,
): IncomingStep {
  const subject = span.dataSubjectId === null ? null : subjectOf(span.dataSubjectId)
  const hasResource = Object.keys(span.resource).length > 0
  const attributes = hasResource
    ? { ...span.attributes, [resourceKey]: span.resource }
    : span.attributes
  const { input, output } = span
  return {
    scope: '',
    subject,
    agent: span.agent,
    truncated: span.truncated,
    incompleteAtSource: span.incompleteAtSource,
    size: sizeOf({ input, output, attributes }),
    trace: { traceId: span.traceId, sessionId },
    facts: {
      stepId: stepIdOf(span),
      parentStepId: parentStepIdOf(span),
      type: span.type,
      name: span.name,
      startedAt: span.startedAt,
      endedAt: span.endedAt,
      status: span.status,
      model: span.model,
      inputTokens: span.inputTokens,
      outputTokens: span.outputTokens,
      toolName: span.toolName,
      agentName: span.agent?.name ?? null,
      agentVersion: span.agent?.version ?? null,
      dataSubjectId: subject?.subjectId ?? null,
      dataCategories: span.dataCategories,
      checkpointId: span.checkpointId,
      resumeToken: span.resumeToken,
      attributes,
      input,
      output,
      scores: span.scores,
      ownResults: span.policyResult ? [{ ...span.policyResult, ruleName: null }] : [],
    },
  }
}

/** What a step costs beside its content each time that steps are gone over, in characters that are read, about. */
export const stepEffort = 512

/** About how many characters of content a step has. */
export function sizeOf({
  input,
  output,
  attributes,
}: Pick<StepFacts, 'input' | 'output' | 'attributes'>): number {
  return lengthOf(input) + lengthOf(output) + lengthOf(attributes)
}

/** About how many characters a value's JSON has. */
export function lengthOf(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 8
  let length = 2
  const members = value as { readonly [name: string]: unknown }
  for (const name in members) length += name.length + lengthOf(members[name])
  return length
}
