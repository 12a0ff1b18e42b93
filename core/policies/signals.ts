import type { Slices } from '../base/json/in-slices.ts'
import type { Sealer } from '../base/ports/secrets.ts'
import type { Check, Collection, Found, Read, Versioned } from '../base/ports/store.ts'
import type { SpanRules } from '../content/span.ts'
import { get, one } from '../kernel/ledger/reads.ts'
import { compileGlob, matchesGlob } from './glob.ts'
import {
  type IngestRuleSet,
  ingestRuleSets,
  type PolicyRuleSet,
  policyRuleSets,
  redactionPolicySets,
} from './records.ts'
import type { Redactor } from './redaction/redact.ts'
import { redactorOf } from './redaction/redactor-of.ts'
import { judgeSession, judgeStep, type NamedOfStep } from './rules/judge.ts'
import { type CompiledRule, compileRule, matchingEffort } from './rules/match.ts'
import type { SessionFacts, StepFacts } from './rules/shapes.ts'

/** The reads whose answers `signalsFrom` takes, in their order. */
export function signalReads(tenantId: string, applicationId: string): readonly Read[] {
  const key = [tenantId, applicationId] as const
  return [get(policyRuleSets, key), get(redactionPolicySets, key), get(ingestRuleSets, key)]
}

/** What an application's rules, as they were read, make of its data; one without any has empty rules. */
export function signalsFrom(
  { tenantId, applicationId }: { readonly tenantId: string; readonly applicationId: string },
  found: readonly Found[],
  sealer: Sealer,
) {
  const rules = one(policyRuleSets, found[0])
  const redaction = one(redactionPolicySets, found[1])
  const ingest = one(ingestRuleSets, found[2])
  const compiled = compiledOf(rules)
  let made: Redactor | null = null
  const redactor = () => {
    made ??= redactorOf(redaction?.row ?? null, sealer)
    return made
  }
  const check = <R extends object>(collection: Collection<R>, row: Versioned<R> | null): Check => ({
    in: collection.name,
    key: [tenantId, applicationId],
    version: row?.version ?? 0,
  })
  return {
    /** Judges a step once, when it is accepted, before redaction, with pauses within long texts. `now`: ms. */
    judgeStep: (
      step: StepFacts,
      session: SessionFacts,
      now: number,
      slices: Slices,
      named: NamedOfStep,
    ) => judgeStep(compiled, step, session, now, slices, named),
    /** The work of judging and redacting a step with so many characters of content, in characters that are read, about. */
    effort: (size: number) => size * (1 + redactor().passes) + matchingEffort(compiled, size),
    judgeSession,
    /** Rules in force whose result may depend on the session. */
    sessionRules: sessionRulesOf(rules),
    get redactor() {
      return redactor()
    },
    spanRules: spanRulesOf(ingest?.row ?? null),
    /** For the commit of what was judged: no rule has changed since. */
    checks: [
      check(policyRuleSets, rules),
      check(redactionPolicySets, redaction),
      check(ingestRuleSets, ingest),
    ],
  }
}

/** As they were read for one judgement. */
export type Signals = ReturnType<typeof signalsFrom>

/** Rules in force whose result may depend on the session. */
export function sessionRulesOf(found: Versioned<PolicyRuleSet> | null): readonly CompiledRule[] {
  return compiledOf(found).filter(({ sessionKeys }) => sessionKeys.length > 0)
}

/** Compiled rules by the row that they were read from; stores may share rows among readers. */
const compiledRules = new WeakMap<PolicyRuleSet, readonly CompiledRule[]>()

function compiledOf(found: Versioned<PolicyRuleSet> | null): readonly CompiledRule[] {
  if (!found) return []
  const known = compiledRules.get(found.row)
  if (known) return known
  const compiled = found.row.rules.filter(({ enabled }) => enabled).map(compileRule)
  compiledRules.set(found.row, compiled)
  return compiled
}

function spanRulesOf(set: IngestRuleSet | null): SpanRules {
  const globs = set?.dropAttributes.map(compileGlob) ?? []
  return {
    sessionAttribute: set?.sessionAttribute ?? null,
    subjectAttribute: set?.subjectAttribute ?? null,
    drops: (key) => globs.some((glob) => matchesGlob(glob, key)),
  }
}
