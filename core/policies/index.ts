export { type Consequences, consequenceReads, consequencesOf } from './consequences.ts'
export { type EventHead, legacyEvent, platformEvent } from './events.ts'
export { compileGlob, type Glob, matchesGlob } from './glob.ts'
export type { Judged } from './judged.ts'
export {
  type IngestRuleSet,
  ingestRuleSets,
  type PolicyDemand,
  type PolicyRuleSet,
  type PolicyRuleVersion,
  policyDemands,
  policyRuleSets,
  policyRuleVersions,
  type RedactionPolicySet,
  redactionPolicySets,
  sealedHashKeys,
} from './records.ts'
export {
  type Detectable,
  detectables,
  type RedactedField,
  type RedactionAction,
  type RedactionPolicy,
  redactedFields,
  redactionActions,
} from './redaction/policy.ts'
export {
  createRedactor,
  type Redacted,
  type Redactor,
  type StepContents,
} from './redaction/redact.ts'
export {
  type Demand,
  type Judgement,
  judgeSession,
  judgeStep,
} from './rules/judge.ts'
export { type CompiledRule, compileRule } from './rules/match.ts'
export {
  type Condition,
  type Effect,
  effects,
  type GivenScore,
  type Match,
  type Operator,
  type OwnResult,
  operators,
  type PolicyRule,
  type Scalar,
  type SessionFacts,
  type Severity,
  type StepFacts,
  severities,
} from './rules/shapes.ts'
export { defaultScorer } from './scores/default-scorer.ts'
export {
  governanceParts,
  governanceRead,
  type QualityParts,
  qualityParts,
  qualityRead,
} from './scores/quality.ts'
export { type ApplicationScore, applicationScores } from './scores/records.ts'
export {
  type SessionAnnotation,
  type SessionReview,
  sessionAnnotations,
  sessionReviews,
} from './sessions/records.ts'
export { type Signals, signalReadCount, signalReads, signalsFrom } from './signals.ts'
