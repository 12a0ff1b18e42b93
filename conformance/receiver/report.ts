import type { Level } from './definition.ts'
import type { Failure } from './property.ts'
import type { Target } from './target.ts'
import { allTypes, type FamilyCounts, families, familyOf, noFamilies } from './types.ts'

/** What came of one property. */
export type PropertyReport = {
  readonly name: string
  readonly level: Level
  readonly promise: string
  readonly histories: number
  /** Messages signed for it, by the family of their events. */
  readonly families: FamilyCounts
  /** Histories that the budget had no time for. */
  readonly leftOut: number
  readonly seconds: number
} & (
  | { readonly verdict: 'passed' }
  | {
      readonly verdict: 'failed'
      readonly advice: string
      readonly failure: Failure
      /** Why this failure is accepted, in the words of whoever ran the suite; null when it is not. */
      readonly exception: string | null
    }
  /** Nothing is said about it. */
  | {
      readonly verdict: 'not judged'
      /** The target can't do what it takes, there was no time for all listed cases, or the run is a quick one. */
      readonly wantOf: 'ability' | 'time' | 'scope'
      readonly needs: readonly string[]
    }
)

/** The verdicts of a run, and what is needed to repeat it. */
export interface Report {
  readonly url: string
  readonly seed: number
  /** Why nothing could be judged on its own: every property fails with it; null for a receiver that answers. */
  readonly unusable: string | null
  /** The property in which the receiver went down for good; the later ones say nothing of their own. */
  readonly goneIn: string | null
  readonly properties: readonly PropertyReport[]
  readonly passed: number
  /** Without those that were excepted. */
  readonly failed: number
  readonly failedRequired: number
  readonly failedHardening: number
  readonly excepted: number
  readonly notJudged: number
  /** Required properties that were not judged for want of time: a run that has any is no pass. */
  readonly outOfTime: number
  /** The budget, in whole seconds, with which this machine had judged those, at the speed that was seen; null without any. */
  readonly budgetSeconds: { readonly given: number; readonly needed: number } | null
  readonly histories: number
  readonly leftOut: number
  readonly deliveries: number
  readonly seconds: number
  /** Of acknowledgements under a burst, ms; null when none was measured. */
  readonly burst: { readonly p50: number; readonly p99: number; readonly most: number } | null
  /** What the run saw beside its properties. */
  readonly notes: readonly string[]
}

/** Of a property that was cut short and went on later. */
export function joined(first: PropertyReport, later: PropertyReport): PropertyReport {
  const sums = {
    histories: first.histories + later.histories,
    families: joinedFamilies(first.families, later.families),
    seconds: first.seconds + later.seconds,
    leftOut: later.leftOut,
  }
  return later.verdict === 'not judged' ? { ...first, ...sums } : { ...later, ...sums }
}

function joinedFamilies(first: FamilyCounts, later: FamilyCounts): FamilyCounts {
  const sum = noFamilies()
  for (const family of families) sum[family] = first[family] + later[family]
  return sum
}

/** Whether it is a required property that there was no time for. */
export const isOutOfTime = (report: PropertyReport): boolean =>
  report.verdict === 'not judged' && report.wantOf === 'time' && report.level === 'required'

/** A burst's times in figures. */
export function percentiles(times: readonly number[]): Report['burst'] {
  if (times.length === 0) return null
  const sorted = [...times].sort((a, b) => a - b)
  const at = (share: number) =>
    Math.round((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0) * 10) /
    10
  return { p50: at(0.5), p99: at(0.99), most: at(1) }
}

/** The figures of a report that follow from its properties. */
export function countsOf(
  properties: readonly PropertyReport[],
): Pick<
  Report,
  | 'passed'
  | 'failed'
  | 'failedRequired'
  | 'failedHardening'
  | 'excepted'
  | 'notJudged'
  | 'outOfTime'
  | 'histories'
  | 'leftOut'
> {
  const failures = properties.flatMap((one) => (one.verdict === 'failed' ? [one] : []))
  const failed = failures.filter(({ exception }) => exception === null)
  const sum = (part: 'histories' | 'leftOut') =>
    properties.reduce((total, one) => total + one[part], 0)
  return {
    passed: properties.filter(({ verdict }) => verdict === 'passed').length,
    failed: failed.length,
    failedRequired: failed.filter(({ level }) => level === 'required').length,
    failedHardening: failed.filter(({ level }) => level === 'hardening').length,
    excepted: failures.length - failed.length,
    notJudged: properties.filter(({ verdict }) => verdict === 'not judged').length,
    outOfTime: properties.filter(isOutOfTime).length,
    histories: sum('histories'),
    leftOut: sum('leftOut'),
  }
}

/** What explains failures of many properties at once. */
export function notesOf({ has, tally }: Pick<Target, 'has' | 'tally'>): readonly string[] {
  const { odd, sawEffect, acted, triedActs } = tally
  const notes: string[] = []
  if (has.has('effects') && !sawEffect)
    notes.push(
      'The probe never showed an effect: are the handlers running (the receiver kit: receiver.start(), or drain() by schedule), and does the probe read where they note what they did?',
    )
  const idle = allTypes.filter((type) => familyOf(type) !== 'review' && !acted.has(type))
  if (sawEffect && triedActs && idle.length > 0)
    notes.push(
      `The receiver was not seen to act on ${idle.join(', ')}: whether it loses those once they are stored can't be judged.`,
    )
  const [example] = odd
  if (example !== undefined)
    notes.push(
      `The probe shows ${odd.size === 1 ? 'an entry' : `${odd.size} entries`} without a usable id, such as ${example}: what signed bodies left that are no events (reading.malformed-signed). A receiver should refuse them with 400, or keep them under the signed webhook-id.`,
    )
  return notes
}
