import type { GovernanceFacts, QualityFacts, Score, Scorer } from '../../base/ports/scorer.ts'

/** A part of a score: its weight, and its value from 0 to 1, null where there is nothing to measure. */
type Part = readonly [name: string, weight: number, value: number | null]

/** The scorer `default-1`: weighted means, in which absent parts share out their weight. */
export const defaultScorer: Scorer = {
  name: 'default-1',
  quality: (facts: QualityFacts) =>
    weighted([
      ['okSteps', 50, ratio(facts.steps - facts.errors, facts.steps)],
      ['notFailed', 20, facts.failed ? 0 : 1],
      ['guardrails', 20, ratio(facts.guardrailsOk, facts.guardrails)],
      ['scores', 10, facts.meanScore],
    ]),
  governance: (facts: GovernanceFacts) =>
    weighted([
      ['sessionsWithoutDenial', 40, ratio(facts.sessionsWithoutDenial, facts.sessions)],
      ['casesInTime', 30, ratio(facts.casesInTime, facts.cases)],
      ['casesByHuman', 20, ratio(facts.casesByHuman, facts.cases)],
      ['quality', 10, facts.meanQuality === null ? null : facts.meanQuality / 100],
    ]),
}

function ratio(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole
}

function weighted(parts: readonly Part[]): Score | null {
  const there = parts.flatMap(([name, weight, value]) =>
    value === null ? [] : [{ name, weight, value }],
  )
  const weights = there.reduce((sum, { weight }) => sum + weight, 0)
  if (weights === 0) return null
  const sum = there.reduce((all, { weight, value }) => all + weight * value, 0)
  return {
    score: oneDecimal((100 * sum) / weights),
    components: Object.fromEntries(there.map(({ name, value }) => [name, oneDecimal(100 * value)])),
  }
}

/** Rounded to one decimal. */
export function oneDecimal(value: number): number {
  return Math.round(value * 10) / 10
}
