import { type Actor, actorName, memberIdOf } from '../kernel/callers/actor.ts'
import { longest } from '../kernel/ledger/limits.ts'
import { listOf, object } from '../kernel/members.ts'
import type { SealedMembers } from '../kernel/sealing/sealed-members.ts'
import {
  type InsOf,
  line,
  type OutsOf,
  oneOf,
  type RowsOf,
  stored,
  time,
  whole,
} from '../kernel/shape.ts'
import { table } from '../kernel/table.ts'
import { fromOne } from '../kernel/usual.ts'
import { orNull, shownBy } from '../kernel/wrap.ts'
import { patterns } from './patterns.ts'
import { redactionPolicy } from './redaction/policy.ts'
import { type PolicyRule, policyRule } from './rules/shapes.ts'

const id = line(longest.id)
/** The application that an operation names. */
export const ofApplication = { applicationId: id }
const whose = { tenantId: id, ...ofApplication }

/** When a set of rules was saved, and the name of the actor who did. */
const saved = { updatedAt: time, updatedBy: id }
/** As readers see it: a member's id; null where no set was ever saved. */
const shownSaved = { updatedAt: orNull(time), updatedBy: orNull(shownBy(id, memberIdOf)) }
/** Of a set that was never saved. */
export const neverSaved = { updatedAt: null, updatedBy: null }
/** Of a set that is saved now. */
export function savedIn({
  now,
  by,
}: {
  readonly now: number
  readonly by: Actor
}): RowsOf<typeof saved> {
  return { updatedAt: now, updatedBy: actorName(by) }
}

/** One row, so that a commit that relied on a set of rules can check it. */
const perApplication = {
  key: ['tenantId', 'applicationId'],
  indexes: { byApplication: ['applicationId'] },
  tenant: 'tenantId',
  purge: { application: 'applicationId', step: 'configuration' },
  retain: { bounded: 'one per application' },
} as const

/** The policy rules of an application. */
export const policyRuleSets = table({
  name: 'policyRuleSets',
  members: {
    ...whose,
    /** Raised with each change of the set. */
    ruleSetVersion: fromOne,
    rules: stored<readonly RuleInForce[]>(),
    ...saved,
  },
  ...perApplication,
})

/** A rule in force. */
export interface RuleInForce extends PolicyRule {
  /** The version since which it requires reviews: cases of earlier versions have lost it. Null where it requires none. */
  readonly requiresSince: number | null
}
/** The policy rules of an application. */
export interface PolicyRuleSet extends RowsOf<typeof policyRuleSets.members> {}

/** The members that readers of policy rules see. */
export const shownPolicyRules = {
  /** 0 where none was ever saved. */
  ruleSetVersion: whole(0, Number.MAX_SAFE_INTEGER),
  rules: listOf(object(policyRule, 'PolicyRule')),
  ...shownSaved,
}
/** The policy rules of an application. */
export interface PolicyRulesView extends OutsOf<typeof shownPolicyRules> {}

/** Versions of policy rules, kept for good. */
export const policyRuleVersions = table({
  name: 'policyRuleVersions',
  members: {
    ...whose,
    ruleId: id,
    version: fromOne,
    /** Null: with this version the rule was removed. */
    rule: stored<PolicyRule | null>(),
    ruleSetVersion: fromOne,
    recordedAt: time,
    recordedBy: id,
  },
  key: ['tenantId', 'applicationId', 'ruleId', 'version'],
  indexes: { byApplication: ['applicationId'] },
  tenant: 'tenantId',
  purge: { application: 'applicationId', step: 'configuration' },
  retain: { keep: 'results name the version that they come from' },
})

/** One version of a policy rule. */
export interface PolicyRuleVersion extends RowsOf<typeof policyRuleVersions.members> {}

/** Rules that require the review case of a checkpoint, a row each; the case stays open as long as one is left. */
export const policyDemands = table({
  name: 'policyDemands',
  members: {
    ...whose,
    sessionId: id,
    checkpointId: id,
    source: oneOf(['service', 'application']),
    ruleId: id,
    /** Null for the application's own. */
    ruleVersion: orNull(fromOne),
    /** The last case that it required there. */
    reviewCaseId: id,
  },
  key: ['tenantId', 'applicationId', 'sessionId', 'checkpointId', 'source', 'ruleId'],
  indexes: {
    byRule: ['tenantId', 'applicationId', 'source', 'ruleId', 'reviewCaseId'],
    byApplication: ['applicationId'],
  },
  tenant: 'tenantId',
  purge: { application: 'applicationId' },
  retain: { work: 'sessionRetention' },
})

/** A rule that requires the review case of a checkpoint. */
export interface PolicyDemand extends RowsOf<typeof policyDemands.members> {}

const policies = listOf(object(redactionPolicy))

/** The redaction policies of an application. */
export const redactionPolicySets = table({
  name: 'redactionPolicySets',
  members: {
    ...whose,
    policies,
    /** 32 bytes, sealed under `hashKeyContext`: the key of hashes that stand for what was found. Stays for good. */
    hashKey: stored<Uint8Array>(),
    ...saved,
  },
  ...perApplication,
})

/** The redaction policies of an application. */
export interface RedactionPolicySet extends RowsOf<typeof redactionPolicySets.members> {}

/** The members that readers of redaction policies see, in the order in which they apply. */
export const shownRedactionPolicies = { policies, ...shownSaved }
/** The redaction policies of an application, in the order in which they apply. */
export interface RedactionPoliciesView extends OutsOf<typeof shownRedactionPolicies> {}

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
export const ingestDefinition = {
  /** Attributes that name the session and the data subject before all others. */
  sessionAttribute: orNull(line(longest.pattern)),
  subjectAttribute: orNull(line(longest.pattern)),
  /** Globs over keys of attributes that are dropped unread. */
  dropAttributes: patterns,
}

/** The ingest rules of an application. */
export const ingestRuleSets = table({
  name: 'ingestRuleSets',
  members: { ...whose, ...ingestDefinition, ...saved },
  ...perApplication,
})

/** The ingest rules of an application. */
export interface IngestRuleSet extends RowsOf<typeof ingestRuleSets.members> {}
/** Ingest rules to save; absent members are null or empty. */
export interface IngestRulesInput extends InsOf<typeof ingestDefinition> {}

/** The members that readers of ingest rules see. */
export const shownIngestRules = { ...ingestDefinition, ...shownSaved }
/** How an application's spans are read. */
export interface IngestRulesView extends OutsOf<typeof shownIngestRules> {}
