import type { Scorer } from '../base/ports/scorer.ts'
import { alertRuleOperations } from './alerts/operations.ts'
import { alertRules } from './alerts/records.ts'
import { sessionFlags } from './flags/records.ts'
import { ingestRuleOperations } from './ingest-rules.ts'
import { createJudgement } from './judgement/judge.ts'
import { policyRuleOperations } from './policy-rules.ts'
import {
  ingestRuleSets,
  policyDemands,
  policyRuleSets,
  policyRuleVersions,
  redactionPolicySets,
  sealedHashKeys,
} from './records.ts'
import { redactionPolicyOperations } from './redaction-policies.ts'
import { createGovernance } from './scores/governance.ts'
import { scoreOperations } from './scores/read-scores.ts'
import { applicationScores } from './scores/records.ts'
import { annotationOperations } from './sessions/annotations.ts'
import { flagOperations } from './sessions/flags.ts'
import { sessionAnnotations, sessionReviews } from './sessions/records.ts'
import { sessionReviewOperations } from './sessions/reviews.ts'
import { createWithdrawal } from './withdrawal.ts'

type Host = Parameters<typeof createWithdrawal>[0] &
  Parameters<typeof createJudgement>[0] & { readonly scorer: Scorer }

/** What this room contributes to the service. */
export const room = {
  tables: [
    policyRuleSets,
    policyRuleVersions,
    policyDemands,
    redactionPolicySets,
    ingestRuleSets,
    sessionFlags,
    applicationScores,
    sessionAnnotations,
    sessionReviews,
    alertRules,
  ],
  sealed: [sealedHashKeys],
  groups: {
    alertRules: alertRuleOperations,
    annotations: annotationOperations,
    flags: flagOperations,
    ingestRules: ingestRuleOperations,
    policyRules: policyRuleOperations,
    redactionPolicies: redactionPolicyOperations,
    scores: scoreOperations,
    sessionReviews: sessionReviewOperations,
  } as const,
  handlers: (host: Host) => [
    createWithdrawal(host),
    createGovernance(host.scorer),
    createJudgement(host),
  ],
}
