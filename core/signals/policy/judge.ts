import { type ReviewTier, reviewTiers, type WhyReason } from '../../events/review.ts'
import type { Slices } from '../../json/in-slices.ts'
import type { PolicyResult } from '../../sessions/records.ts'
import { withTexts } from './facts.ts'
import type { CompiledRule } from './match.ts'
import type { OwnResult, SessionFacts, StepFacts } from './shapes.ts'

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
}

interface Finding {
  readonly result: PolicyResult
  readonly asks: Omit<Demand, 'checkpointId' | 'resumeToken'>
}

/** Judges a step by all rules, and by what the application found itself; with pauses within long texts. */
export function* judgeStep(
  rules: readonly CompiledRule[],
  step: StepFacts,
  session: SessionFacts,
  now: number,
  slices: Slices,
): Generator<undefined, Judgement> {
  // Most applications have no rule, and steps come by the thousand.
  const facts = rules.length === 0 ? step : withTexts(step)
  const matching: CompiledRule[] = []
  for (const each of rules)
    if (each.rule.enabled && (yield* each.matchesInSlices(facts, session, slices)))
      matching.push(each)
  const matched = matching.map(({ rule }): Finding => {
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
        stepId: step.stepId,
        matchedAt: now,
        reviewCaseId: null,
      },
      asks: { reasonCategory, reviewTier, dueInSeconds, expiresInSeconds },
    }
  })
  const own = step.ownResults.map((result) => ownFinding(result, step.stepId, now))
  return judgementOf([...matched, ...own], {
    checkpointId: step.checkpointId ?? step.stepId,
    resumeToken: step.resumeToken,
  })
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
  }
}

/** The severest tier sets the terms of a case; of several demands, the first. */
export function severestDemand(demands: readonly Demand[]): Demand | null {
  const rank = ({ reviewTier }: Demand) => reviewTiers.indexOf(reviewTier)
  return demands.toSorted((a, b) => rank(b) - rank(a))[0] ?? null
}
