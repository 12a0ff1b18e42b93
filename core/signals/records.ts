import type { Collection } from '../ports/store.ts'
import type { SealedMembers } from '../sealing/sealed-members.ts'
import type { PolicyRule } from './policy/shapes.ts'
import type { RedactionPolicy } from './redaction/policy.ts'

/** A rule in force. */
export interface RuleInForce extends PolicyRule {
  /** The version since which it requires reviews: cases of earlier versions have lost it. Null where it requires none. */
  readonly requiresSince: number | null
}

/** The policy rules of an application; one row, so that a commit that relied on them can check it. */
export interface PolicyRuleSet {
  readonly tenantId: string
  readonly applicationId: string
  /** From 1; raised with each change of the set. */
  readonly ruleSetVersion: number
  readonly rules: readonly RuleInForce[]
  /** Ms. */
  readonly updatedAt: number
  readonly updatedBy: string
}

export const policyRuleSets: Collection<PolicyRuleSet> = {
  name: 'policyRuleSets',
  key: ['tenantId', 'applicationId'],
  columns: { tenantId: 'text', applicationId: 'text' },
  indexes: { byApplication: ['applicationId'] },
  tenant: 'tenantId',
  purge: { application: 'applicationId', step: 'configuration' },
  retain: { bounded: 'one per application' },
}

/** One version of a policy rule, kept for good. */
export interface PolicyRuleVersion {
  readonly tenantId: string
  readonly applicationId: string
  readonly ruleId: string
  readonly version: number
  /** Null: with this version the rule was removed. */
  readonly rule: PolicyRule | null
  readonly ruleSetVersion: number
  /** Ms. */
  readonly recordedAt: number
  readonly recordedBy: string
}

export const policyRuleVersions: Collection<PolicyRuleVersion> = {
  name: 'policyRuleVersions',
  key: ['tenantId', 'applicationId', 'ruleId', 'version'],
  columns: { tenantId: 'text', applicationId: 'text', ruleId: 'text', version: 'int' },
  indexes: { byApplication: ['applicationId'] },
  tenant: 'tenantId',
  purge: { application: 'applicationId', step: 'configuration' },
  retain: { keep: 'results name the version that they come from' },
}

/** What requires the review case of a checkpoint: one row for each rule, which the case outlives as long as another stands. */
export interface PolicyDemand {
  readonly tenantId: string
  readonly applicationId: string
  readonly sessionId: string
  readonly checkpointId: string
  readonly source: 'service' | 'application'
  readonly ruleId: string
  /** Null for the application's own. */
  readonly ruleVersion: number | null
  /** The last case that it required there. */
  readonly reviewCaseId: string
}

export const policyDemands: Collection<PolicyDemand> = {
  name: 'policyDemands',
  key: ['tenantId', 'applicationId', 'sessionId', 'checkpointId', 'source', 'ruleId'],
  columns: {
    tenantId: 'text',
    applicationId: 'text',
    sessionId: 'text',
    checkpointId: 'text',
    source: 'text',
    ruleId: 'text',
    reviewCaseId: 'text',
  },
  indexes: {
    byRule: ['tenantId', 'applicationId', 'source', 'ruleId', 'reviewCaseId'],
    byApplication: ['applicationId'],
  },
  tenant: 'tenantId',
  purge: { application: 'applicationId' },
  retain: { work: 'sessionRetention' },
}

/** The redaction policies of an application. */
export interface RedactionPolicySet {
  readonly tenantId: string
  readonly applicationId: string
  readonly policies: readonly RedactionPolicy[]
  /** 32 bytes, sealed under `hashKeyContext`: the key of hashes that stand for what was found. Stays for good. */
  readonly hashKey: Uint8Array
  /** Ms. */
  readonly updatedAt: number
  readonly updatedBy: string
}

export const redactionPolicySets: Collection<RedactionPolicySet> = {
  name: 'redactionPolicySets',
  key: ['tenantId', 'applicationId'],
  columns: { tenantId: 'text', applicationId: 'text' },
  indexes: { byApplication: ['applicationId'] },
  tenant: 'tenantId',
  purge: { application: 'applicationId', step: 'configuration' },
  retain: { bounded: 'one per application' },
}

/** The sealing context of an application's hash key. */
export function hashKeyContext(tenantId: string, applicationId: string): string {
  return JSON.stringify(['redaction hash key', tenantId, applicationId])
}

export const sealedHashKeys: SealedMembers<RedactionPolicySet> = {
  collection: redactionPolicySets,
  map: (set, change) => ({
    ...set,
    hashKey: change(set.hashKey, hashKeyContext(set.tenantId, set.applicationId)),
  }),
}

/** How an application's spans are read. */
export interface IngestRuleSet {
  readonly tenantId: string
  readonly applicationId: string
  /** Attributes that name the session and the data subject before all others. */
  readonly sessionAttribute: string | null
  readonly subjectAttribute: string | null
  /** Globs over keys of attributes that are dropped unread. */
  readonly dropAttributes: readonly string[]
  /** Ms. */
  readonly updatedAt: number
  readonly updatedBy: string
}

export const ingestRuleSets: Collection<IngestRuleSet> = {
  name: 'ingestRuleSets',
  key: ['tenantId', 'applicationId'],
  columns: { tenantId: 'text', applicationId: 'text' },
  indexes: { byApplication: ['applicationId'] },
  tenant: 'tenantId',
  purge: { application: 'applicationId', step: 'configuration' },
  retain: { bounded: 'one per application' },
}
