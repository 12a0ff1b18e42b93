import { atOnce, createSlices, type Slices } from '../../base/json/in-slices.ts'
import {
  compileContains,
  compileGlob,
  type Glob,
  matchesGlob,
  matchesGlobInSlices,
} from '../glob.ts'
import { factOf, isOfSession, sessionFactOf } from './facts.ts'
import type { Condition, PolicyRule, Scalar, SessionFacts, StepFacts } from './shapes.ts'

/** A rule whose patterns are compiled once for all steps. */
export interface CompiledRule {
  readonly rule: PolicyRule
  /** How often it goes over a step's content, about. */
  readonly passes: number
  /** Members of the session that it reads, by their keys. */
  readonly sessionKeys: readonly string[]
  /** Whether one of its conditions on the session holds, whatever the step. */
  holdsOf(session: SessionFacts): boolean
  holdsOfInSlices(session: SessionFacts, slices: Slices): Generator<undefined, boolean>
  /** How the rule applies to a step by itself, with pauses within long texts. */
  appliesInSlices(
    step: StepFacts,
    session: SessionFacts,
    slices: Slices,
  ): Generator<undefined, Applies>
}

/** A rule applies to a step, or does not, or does where its conditions on the session hold. */
export type Applies = 'yes' | 'no' | 'by session'

/** Characters of a text that are read without a pause, which saves time where steps come by the thousand. */
const shortText = 1024

/** Only a test that goes over a text pauses. */
type Test = (fact: unknown, slices: Slices) => boolean | Generator<undefined, boolean>

/** Compiles a rule. Matching takes time linear in the facts' length, whatever rule and facts contain. */
export function compileRule(rule: PolicyRule): CompiledRule {
  const { stepTypes, toolNames, attributes, dataCategories } = rule.match
  const tools = toolNames.map(compileGlob)
  const conditions = attributes.map((condition) => ({
    key: condition.key,
    passes: passesOf(condition),
    holds: compileCondition(condition),
  }))
  const ofStep = conditions.filter(({ key }) => !isOfSession(key))
  const ofSession = conditions.filter(({ key }) => isOfSession(key))
  function* appliesInSlices(
    step: StepFacts,
    session: SessionFacts,
    slices: Slices,
  ): Generator<undefined, Applies> {
    const applies =
      isAny(stepTypes, (type) => type === step.type) &&
      isAny(tools, (tool) => step.toolName !== null && matchesGlob(tool, step.toolName)) &&
      isAny(dataCategories, (category) => step.dataCategories.includes(category))
    if (!applies) return 'no'
    if (conditions.length === 0) return 'yes'
    if (yield* anyHolds(ofStep, (key) => factOf(key, step, session), slices)) return 'yes'
    return ofSession.length > 0 ? 'by session' : 'no'
  }
  const holdsOfInSlices = (session: SessionFacts, slices: Slices) =>
    anyHolds(ofSession, (key) => sessionFactOf(key, session), slices)
  return {
    rule,
    passes: attributes.reduce((sum, condition) => sum + passesOf(condition), 0),
    sessionKeys: ofSession.map(({ key }) => key),
    holdsOf: (session) => atOnce(holdsOfInSlices(session, createSlices())),
    holdsOfInSlices,
    appliesInSlices,
  }
}

interface CompiledCondition {
  readonly key: string
  readonly passes: number
  readonly holds: Test
}

function* anyHolds(
  conditions: readonly CompiledCondition[],
  factOf: (key: string) => unknown,
  slices: Slices,
): Generator<undefined, boolean> {
  for (const { key, passes, holds } of conditions) {
    const fact = factOf(key)
    const isShort = typeof fact === 'string' && fact.length < shortText
    if (slices.spend(isShort ? passes * fact.length : 1)) yield
    const held = holds(fact, slices)
    if (typeof held === 'boolean' ? held : yield* held) return true
  }
  return false
}

/** The approximate cost of a rule that reads no content, in characters read. */
const ruleEffort = 40

/** The work of matching a step with so many characters of content by all of these, in characters that are read, about. */
export function matchingEffort(rules: readonly CompiledRule[], size: number): number {
  return rules.reduce((sum, { passes }) => sum + ruleEffort + passes * size, 0)
}

/** A glob goes over its text once for each 32 characters of the pattern; other operators read contents as JSON alone. */
function passesOf({ key, op, value }: Condition): number {
  if ((op === 'contains' || op === 'glob') && typeof value === 'string')
    return (value.length >>> 5) + 1
  return key === 'input' || key === 'output' ? 1 : 0
}

/** Or over a list; an empty one matches all. */
function isAny<T>(list: readonly T[], holds: (item: T) => boolean): boolean {
  return list.length === 0 || list.some(holds)
}

/** Negative operators and `exists: false` hold for an absent fact; no other does. */
function compileCondition({ op, value }: Omit<Condition, 'key'>): Test {
  switch (op) {
    case 'eq':
      return (fact) => fact === value
    case 'ne':
      return (fact) => fact !== value
    case 'in':
      return (fact) => listOf(value).some((item) => item === fact)
    case 'not_in':
      return (fact) => !listOf(value).some((item) => item === fact)
    case 'gt':
      return numeric(value, (fact, bound) => fact > bound)
    case 'gte':
      return numeric(value, (fact, bound) => fact >= bound)
    case 'lt':
      return numeric(value, (fact, bound) => fact < bound)
    case 'lte':
      return numeric(value, (fact, bound) => fact <= bound)
    case 'contains': {
      const inText: Test = typeof value === 'string' ? textual(compileContains(value)) : () => false
      return (fact, slices) => (Array.isArray(fact) ? fact.includes(value) : inText(fact, slices))
    }
    case 'starts_with':
      return (fact) =>
        typeof fact === 'string' && typeof value === 'string' && fact.startsWith(value)
    case 'glob':
      return typeof value === 'string' ? textual(compileGlob(value)) : () => false
    case 'exists':
      return (fact) => (fact !== undefined && fact !== null) === (value !== false)
  }
}

function listOf(value: Condition['value']): readonly Scalar[] {
  return typeof value === 'object' ? value : [value]
}

function numeric(value: Condition['value'], holds: (fact: number, bound: number) => boolean): Test {
  return (fact) => typeof fact === 'number' && typeof value === 'number' && holds(fact, value)
}

function textual(glob: Glob): Test {
  return (fact, slices) => {
    if (typeof fact !== 'string') return false
    return fact.length < shortText
      ? matchesGlob(glob, fact)
      : matchesGlobInSlices(glob, fact, slices)
  }
}
