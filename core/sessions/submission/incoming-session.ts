import type { Slices } from '../../base/json/in-slices.ts'
import type { Agent, StoredScore } from '../../content/records.ts'
import type { SubjectName } from '../../content/vault/pseudonym.ts'
import type { Pseudonyms } from '../../content/vault/vault.ts'
import type { OwnResult } from '../../policies/rules/shapes.ts'
import { type IncomingStep, sizeOf, stepEffort } from '../accept/incoming.ts'
import {
  hasOtherMembers,
  type SubmittedPolicyResult,
  type SubmittedScore,
  type SubmittedSession,
  type SubmittedStep,
} from './submitted.ts'

/** A submitted session in the service's terms; times are ms. */
export interface IncomingSession {
  readonly sessionId: string
  readonly startedAt: number
  readonly endedAt: number
  readonly status: 'completed' | 'failed'
  readonly subject: SubjectName | null
  readonly agent: Agent | null
  readonly metadata: Readonly<Record<string, unknown>>
  readonly steps: readonly IncomingStep[]
  /** Of the session as a whole. */
  readonly ownResults: readonly OwnResult[]
  readonly scores: readonly StoredScore[]
  /** It has members that are hashed and otherwise ignored. */
  readonly hasOtherMembers: boolean
}

/** Converts a checked session. Results and scores that name a step become that step's. Pauses between steps. */
export function* incomingSession(
  session: SubmittedSession,
  pseudonyms: Pseudonyms,
  slices: Slices,
): Generator<undefined, IncomingSession> {
  const { sessionId, status, metadata, agent } = session
  const results = byStep(session.policyResults ?? [])
  const scores = byStep(session.scores ?? [])
  const steps: IncomingStep[] = []
  for (const step of session.steps) {
    const incoming = incomingStep(sessionId, step, pseudonyms, {
      results: results.get(step.stepId) ?? [],
      scores: scores.get(step.stepId) ?? [],
    })
    steps.push(incoming)
    if (slices.spend(stepEffort + incoming.size)) yield
  }
  return {
    sessionId,
    startedAt: Date.parse(session.startedAt),
    endedAt: Date.parse(session.endedAt),
    status,
    subject: subjectOf(session.dataSubjectId, pseudonyms),
    agent: agent ? { name: agent.name, version: agent.version ?? null } : null,
    metadata: metadata ?? {},
    steps,
    ownResults: (results.get(null) ?? []).map(ownResult),
    scores: (scores.get(null) ?? []).map(storedScore),
    hasOtherMembers: hasOtherMembers(session),
  }
}

/** By step; those of the session as a whole under null. */
function byStep<T extends { readonly stepId?: string | null | undefined }>(
  list: readonly T[],
): ReadonlyMap<string | null, readonly T[]> {
  const found = new Map<string | null, T[]>()
  for (const each of list) {
    const stepId = each.stepId ?? null
    const of = found.get(stepId)
    if (of) of.push(each)
    else found.set(stepId, [each])
  }
  return found
}

function incomingStep(
  sessionId: string,
  step: SubmittedStep,
  pseudonyms: Pseudonyms,
  of: {
    readonly results: readonly SubmittedPolicyResult[]
    readonly scores: readonly SubmittedScore[]
  },
): IncomingStep {
  const subject = subjectOf(step.dataSubjectId, pseudonyms)
  const { attributes, input = null, output = null } = step
  const contents = { attributes: attributes ?? {}, input, output }
  return {
    scope: sessionId,
    subject,
    agent: null,
    truncated: false,
    incompleteAtSource: false,
    size: sizeOf(contents),
    trace: null,
    facts: {
      stepId: step.stepId,
      parentStepId: step.parentStepId ?? null,
      type: step.type,
      name: step.name,
      startedAt: Date.parse(step.startedAt),
      endedAt: Date.parse(step.endedAt),
      status: step.status,
      model: step.model ?? null,
      inputTokens: step.inputTokens ?? null,
      outputTokens: step.outputTokens ?? null,
      toolName: step.toolName ?? null,
      agentName: null,
      agentVersion: null,
      dataSubjectId: subject?.subjectId ?? null,
      dataCategories: step.dataCategories ?? [],
      checkpointId: step.checkpointId ?? null,
      resumeToken: null,
      ...contents,
      scores: of.scores.map(storedScore),
      ownResults: of.results.map(ownResult),
    },
  }
}

function subjectOf(id: string | null | undefined, pseudonyms: Pseudonyms): SubjectName | null {
  return id === null || id === undefined ? null : pseudonyms.subjectOf(id)
}

function ownResult(result: SubmittedPolicyResult): OwnResult {
  const { ruleId, ruleName, effect, reasonCategory, reviewTier } = result
  return {
    ruleId,
    ruleName: ruleName ?? null,
    effect,
    reasonCategory: reasonCategory ?? null,
    reviewTier: reviewTier ?? null,
  }
}

function storedScore({ name, value, label }: SubmittedScore): StoredScore {
  return { name, value, label: label ?? null }
}
