import { type ReviewTier, reviewTiers, type WhyReason } from '../../base/events/review.ts'
import type { Slices } from '../../base/json/in-slices.ts'
import type { OpenRule, PolicyResult } from '../../content/records.ts'
import { withTexts } from './facts.ts'
import type { CompiledRule } from './match.ts'
import type { OwnResult, PolicyRule, SessionFacts, StepFacts } from './shapes.ts'

/** What one review case must decide: all results that require a review of one checkpoint. */
export interface Demand {
  readonly checkpointId: string
  readonly resumeToken: string | null
  readonly reasonCategory: WhyReason | 'other'
  readonly reviewTier: ReviewTier
  readonly dueInSeconds: number | null
  readonly expiresInSeconds: number | null
}

/** The results of one step or session, and the review that they demand together. */
export interface Judgement {
  readonly results: readonly PolicyResult[]
  readonly demand: Demand | null
  /** Rules that match the step if their conditions on the session hold, whether these do or not. */
  readonly open: readonly OpenRule[]
}

interface Finding {
  readonly result: PolicyResult
  readonly asks: Omit<Demand, 'checkpointId' | 'resumeToken'>
}

/** The members of a step that results and cases name, after redaction; rules see the step before it. */
export type NamedOfStep = Pick<StepFacts, 'checkpointId' | 'ownResults'>

const none: readonly never[] = []

/** Judges a step by all rules, and by what the application found itself; with pauses within long texts. */
export function* judgeStep(
  rules: readonly CompiledRule[],
  step: StepFacts,
  session: SessionFacts,
  now: number,
  slices: Slices,
  named: NamedOfStep = step,
): Generator<undefined, Judgement> {
  // Most applications have no rule, and steps come by the thousand.
  if (rules.length === 0 && named.ownResults.length === 0)
    return { results: none, demand: null, open: none }
  const facts = rules.length === 0 ? step : withTexts(step)
  const matching: CompiledRule[] = []
  const open: OpenRule[] = []
  for (const each of rules) {
    if (!each.rule.enabled) continue
    const applies = yield* each.appliesInSlices(facts, session, slices)
    if (applies === 'by session')
      open.push({ ruleId: each.rule.ruleId, version: each.rule.version })
    const matches =
      applies === 'by session' ? yield* each.holdsOfInSlices(session, slices) : applies === 'yes'
    if (matches) matching.push(each)
  }
  const matched = matching.map(({ rule }) => findingOf(rule, step.stepId, now))
  const own = named.ownResults.map((result) => ownFinding(result, step.stepId, now))
  const checkpoint = {
    checkpointId: named.checkpointId ?? step.stepId,
    resumeToken: step.resumeToken,
  }
  return { ...judgementOf([...matched, ...own], checkpoint), open }
}

/** Judges a stored step by rules that its session settled only later. */
export function judgeLate(
  rules: readonly CompiledRule[],
  step: Pick<StepFacts, 'stepId' | 'checkpointId'>,
  now: number,
): Judgement {
  const findings = rules.map(({ rule }): Finding => {
    const { result, asks } = findingOf(rule, step.stepId, now)
    return { result: { ...result, late: true }, asks }
  })
  // The application's token is not kept beside its case.
  const checkpoint = { checkpointId: step.checkpointId ?? step.stepId, resumeToken: null }
  return judgementOf(findings, checkpoint)
}

function findingOf(rule: PolicyRule, stepId: string, now: number): Finding {
  const { ruleId, version, name, effect, severity } = rule
  const { reasonCategory, reviewTier, dueInSeconds, expiresInSeconds } = rule
  return {
    result: {
      ruleId,
      ruleVersion: version,
      ruleName: name,
      effect,
      severity,
      source: 'service',
      stepId,
      matchedAt: now,
      reviewCaseId: null,
    },
    asks: { reasonCategory, reviewTier, dueInSeconds, expiresInSeconds },
  }
}

/** Judges what the application found of a session as a whole. */
export function judgeSession(
  ownResults: readonly OwnResult[],
  { sessionId }: Pick<SessionFacts, 'sessionId'>,
  now: number,
): Judgement {
  const own = ownResults.map((result) => ownFinding(result, null, now))
  return judgementOf(own, { checkpointId: sessionId, resumeToken: null })
}

function ownFinding(own: OwnResult, stepId: string | null, now: number): Finding {
  const { ruleId, ruleName, effect, reasonCategory, reviewTier } = own
  return {
    result: {
      ruleId,
      ruleVersion: null,
      ruleName: ruleName ?? ruleId,
      effect,
      severity: 'warning',
      source: 'application',
      stepId,
      matchedAt: now,
      reviewCaseId: null,
    },
    asks: {
      reasonCategory: reasonCategory ?? 'policy_requires_human_review',
      reviewTier: reviewTier ?? 'standard',
      dueInSeconds: null,
      expiresInSeconds: null,
    },
  }
}

function judgementOf(
  findings: readonly Finding[],
  checkpoint: Pick<Demand, 'checkpointId' | 'resumeToken'>,
): Judgement {
  const asking = findings.filter(({ result }) => result.effect === 'require_review')
  return {
    results: findings.map(({ result }) => result),
    demand: severestDemand(asking.map(({ asks }) => ({ ...checkpoint, ...asks }))),
    open: [],
  }
}

/** The severest tier sets the terms of a case; of several demands, the first. */
export function severestDemand(demands: readonly Demand[]): Demand | null {
  const rank = ({ reviewTier }: Demand) => reviewTiers.indexOf(reviewTier)
  return demands.toSorted((a, b) => rank(b) - rank(a))[0] ?? null
}
