import type { PolicyRule, SessionFacts, StepFacts } from '../../policies/rules/shapes.ts'

/** A step as a payment tool's call, before redaction. */
export function stepFacts(given: Partial<StepFacts> = {}): StepFacts {
  return {
    stepId: 'step-1',
    parentStepId: null,
    type: 'tool',
    name: 'execute_tool transfer',
    startedAt: 1_000,
    endedAt: 1_250,
    status: 'ok',
    model: null,
    inputTokens: null,
    outputTokens: null,
    toolName: 'payments.transfer',
    agentName: 'teller',
    agentVersion: '3',
    dataSubjectId: 'customer-7',
    dataCategories: ['financial'],
    checkpointId: null,
    resumeToken: null,
    attributes: { amount: 5000, currency: 'EUR', tags: ['urgent', 'foreign'] },
    input: null,
    output: null,
    scores: [],
    ownResults: [],
    ...given,
  }
}

export function sessionFacts(given: Partial<SessionFacts> = {}): SessionFacts {
  return {
    sessionId: 'session-1',
    applicationId: 'app_1',
    origin: 'otlp',
    startedAt: 900,
    dataSubjectId: 'customer-7',
    agentName: 'teller',
    agentVersion: '3',
    metadata: { region: 'eu' },
    scores: [],
    ...given,
  }
}

export function policyRule(given: Partial<PolicyRule> = {}): PolicyRule {
  return {
    ruleId: 'rule_1',
    version: 1,
    name: 'Large transfers',
    enabled: true,
    match: { stepTypes: [], toolNames: [], attributes: [], dataCategories: [] },
    effect: 'require_review',
    severity: 'warning',
    reasonCategory: 'policy_requires_human_review',
    reviewTier: 'standard',
    dueInSeconds: null,
    expiresInSeconds: null,
    ...given,
  }
}
