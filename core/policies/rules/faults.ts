import { wrong } from '../../kernel/ledger/input-errors.ts'
import type { FieldError } from '../../kernel/ledger/refusal.ts'
import { repeatedIds } from '../rule-ids.ts'
import type { Condition, GivenPolicyRule } from './shapes.ts'

/** The ids of policy rules to save. */
export function idsOf(rules: readonly GivenPolicyRule[]): Parameters<typeof repeatedIds>[0] {
  return { ids: rules.map(({ ruleId }) => ruleId), at: (index) => `/rules/${index}/ruleId` }
}

/** Faults of policy rules whose members hold each by itself. */
export function faultsOfRules(rules: readonly GivenPolicyRule[]): readonly FieldError[] {
  return [
    ...rules.flatMap(({ match, dueInSeconds, expiresInSeconds }, index) => [
      ...match.attributes.flatMap((condition, place) =>
        faultsOfCondition(condition, `/rules/${index}/match/attributes/${place}/value`),
      ),
      ...(dueInSeconds !== null && expiresInSeconds !== null && dueInSeconds > expiresInSeconds
        ? [wrong(`/rules/${index}/dueInSeconds`, 'expected a time not after expiresInSeconds')]
        : []),
    ]),
    ...repeatedIds(idsOf(rules)),
  ]
}

/** What the value of an operator must be. */
const valueKinds: Readonly<
  Record<Condition['op'], 'a scalar' | 'a list' | 'a number' | 'a text' | 'true or false'>
> = {
  eq: 'a scalar',
  ne: 'a scalar',
  in: 'a list',
  not_in: 'a list',
  gt: 'a number',
  gte: 'a number',
  lt: 'a number',
  lte: 'a number',
  contains: 'a scalar',
  starts_with: 'a text',
  glob: 'a text',
  exists: 'true or false',
}

function kindsOf(value: Condition['value']): readonly string[] {
  if (typeof value === 'object') return ['a list']
  if (typeof value === 'number') return ['a scalar', 'a number']
  return ['a scalar', typeof value === 'string' ? 'a text' : 'true or false']
}

function faultsOfCondition({ op, value }: Condition, at: string): readonly FieldError[] {
  const kind = valueKinds[op]
  return kindsOf(value).includes(kind) ? [] : [wrong(at, `expected ${kind} for ${op}`)]
}
