import { reasonGroups, reviewTiers } from '../events/review.ts'
import { checkLine, checkName, checkText } from '../ledger/check-text.ts'
import { checkOneOf, type Errors, wrong } from '../ledger/input-errors.ts'
import { longest, most } from '../ledger/limits.ts'
import { stepTypes } from '../sessions/span.ts'
import { type Condition, effects, operators, severities } from './policy/shapes.ts'
import { detectables, redactedFields, redactionActions } from './redaction/policy.ts'
import type { IngestRulesInput, PolicyRuleInput, RedactionPolicyInput } from './view.ts'

/** Checks rules, but for the ids that they name. */
export function checkRules(rules: readonly PolicyRuleInput[]): Errors {
  return [
    ...checkCount(rules, '/rules', most.policyRules),
    ...rules.flatMap((rule, at) => checkRule(rule, `/rules/${at}`)),
    ...checkDistinct(
      rules.map(({ ruleId }) => ruleId),
      (at) => `/rules/${at}/ruleId`,
    ),
  ]
}

function checkRule(rule: PolicyRuleInput, at: string): Errors {
  const { match = {}, dueInSeconds = null, expiresInSeconds = null } = rule
  const { stepTypes: types = [], toolNames = [], attributes = [], dataCategories = [] } = match
  return [
    ...checkName(rule.name, `${at}/name`, longest.name),
    ...checkOneOf(rule.effect, effects, `${at}/effect`),
    ...checkOneOf(rule.severity ?? 'warning', severities, `${at}/severity`),
    ...checkOneOf(rule.reviewTier ?? 'standard', reviewTiers, `${at}/reviewTier`),
    ...checkOneOf(
      rule.reasonCategory ?? 'other',
      [...reasonGroups.why, ...reasonGroups.else],
      `${at}/reasonCategory`,
    ),
    ...checkAllOf(types, stepTypes, `${at}/match/stepTypes`),
    ...checkTexts(toolNames, `${at}/match/toolNames`),
    ...checkTexts(dataCategories, `${at}/match/dataCategories`),
    ...checkCount(attributes, `${at}/match/attributes`, most.conditions),
    ...attributes.flatMap((one, index) => checkCondition(one, `${at}/match/attributes/${index}`)),
    ...checkSeconds(dueInSeconds, `${at}/dueInSeconds`),
    ...checkSeconds(expiresInSeconds, `${at}/expiresInSeconds`),
    ...(dueInSeconds !== null && expiresInSeconds !== null && dueInSeconds > expiresInSeconds
      ? [wrong(`${at}/dueInSeconds`, 'expected a time not after expiresInSeconds')]
      : []),
  ]
}

/** What the value of an operator must be. */
const valueKinds: Readonly<
  Record<Condition['op'], 'scalar' | 'scalars' | 'number' | 'text' | 'boolean'>
> = {
  eq: 'scalar',
  ne: 'scalar',
  in: 'scalars',
  not_in: 'scalars',
  gt: 'number',
  gte: 'number',
  lt: 'number',
  lte: 'number',
  contains: 'scalar',
  starts_with: 'text',
  glob: 'text',
  exists: 'boolean',
}

function checkCondition({ key, op, value }: Condition, at: string): Errors {
  const errors = [
    ...checkName(key, `${at}/key`, longest.pattern),
    ...checkOneOf(op, operators, `${at}/op`),
  ]
  if (errors.length > 0) return errors
  const kind = valueKinds[op]
  if (kind === 'scalars')
    return typeof value === 'object'
      ? [
          ...checkCount(value, `${at}/value`, most.conditionValues),
          ...value.flatMap((one, index) => checkScalar(one, `${at}/value/${index}`)),
        ]
      : [wrong(`${at}/value`, `expected a list for ${op}`)]
  if (kind === 'number' && !Number.isFinite(value))
    return [wrong(`${at}/value`, `expected a number for ${op}`)]
  if (kind === 'text' && typeof value !== 'string')
    return [wrong(`${at}/value`, `expected a text for ${op}`)]
  if (kind === 'boolean' && typeof value !== 'boolean')
    return [wrong(`${at}/value`, `expected true or false for ${op}`)]
  return checkScalar(value, `${at}/value`)
}

function checkScalar(value: Condition['value'], at: string): Errors {
  if (typeof value === 'string')
    return value === '' ? [] : checkText(value, at, longest.conditionValue)
  const scalar = typeof value === 'boolean' || Number.isFinite(value)
  return scalar ? [] : [wrong(at, 'expected a text, a number, true or false')]
}

/** Checks redaction policies, but for the ids that they name. */
export function checkPolicies(policies: readonly RedactionPolicyInput[]): Errors {
  return [
    ...checkCount(policies, '/policies', most.redactionPolicies),
    ...policies.flatMap((policy, index) => {
      const at = `/policies/${index}`
      return [
        ...checkName(policy.name, `${at}/name`, longest.name),
        ...checkAllOf(policy.stepTypes ?? [], stepTypes, `${at}/stepTypes`),
        ...checkAllOf(policy.fields ?? [], redactedFields, `${at}/fields`),
        ...checkTexts(policy.keys ?? [], `${at}/keys`),
        ...checkOneOf(policy.detect, detectables, `${at}/detect`),
        ...checkOneOf(policy.action, redactionActions, `${at}/action`),
      ]
    }),
    ...checkDistinct(
      policies.map(({ redactionPolicyId }) => redactionPolicyId),
      (at) => `/policies/${at}/redactionPolicyId`,
    ),
  ]
}

/** Checks ingest rules. */
export function checkIngestRules(rules: IngestRulesInput): Errors {
  return [
    ...checkLine(rules.sessionAttribute, '/sessionAttribute', longest.pattern),
    ...checkLine(rules.subjectAttribute, '/subjectAttribute', longest.pattern),
    ...checkTexts(rules.dropAttributes ?? [], '/dropAttributes'),
  ]
}

function checkAllOf(values: readonly string[], allowed: readonly string[], at: string): Errors {
  return [
    ...checkCount(values, at, allowed.length),
    ...values.flatMap((value, index) => checkOneOf(value, allowed, `${at}/${index}`)),
  ]
}

function checkTexts(values: readonly string[], at: string): Errors {
  return [
    ...checkCount(values, at, most.patterns),
    ...values.flatMap((value, index) => checkName(value, `${at}/${index}`, longest.pattern)),
  ]
}

function checkCount(list: readonly unknown[], at: string, upTo: number): Errors {
  return list.length > upTo ? [wrong(at, `expected at most ${upTo} items, got ${list.length}`)] : []
}

function checkDistinct(
  ids: readonly (string | undefined)[],
  at: (index: number) => string,
): Errors {
  return ids.flatMap((id, index) =>
    id !== undefined && ids.indexOf(id) !== index ? [wrong(at(index), 'stands here twice')] : [],
  )
}

/** Within a year. */
const mostSeconds = 366 * 24 * 60 * 60

function checkSeconds(value: number | null, at: string): Errors {
  const fits = value === null || (Number.isSafeInteger(value) && value >= 1 && value <= mostSeconds)
  return fits ? [] : [wrong(at, `expected whole seconds from 1 to ${mostSeconds}, got ${value}`)]
}
