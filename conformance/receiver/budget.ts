import type { Property } from './property.ts'
import { isOutOfTime, type PropertyReport, type Report } from './report.ts'

/** Below these a receiver is through with a whole run in the budget: ms of a plain answer, and of a few effects. */
export const quickAnswerMs = 50
const quickEffectMs = 500
/** From here on a burst leaves a queue for minutes. */
const longQueueMs = 2_000
/** The part of a budget that is promised to the properties. */
export const promisedShare = 0.5
/** The part for what goes on after a slice: the waits of what failed, and its shrinking. */
export const spareShare = 0.25

export interface Pace {
  /** The best time of a plain answer. */
  readonly answerMs: number
  /** Until a few events that came together had their effects. */
  readonly effectMs: number
}

const isSlow = ({ answerMs, effectMs }: Pace): boolean =>
  answerMs >= quickAnswerMs || effectMs >= quickEffectMs

/** Properties at once unless told otherwise. */
const usualLanes = 4
const mostLanes = 16
/** Ms of an answer from which on lanes mostly wait. */
const waitingMs = 10
/** Of one answer, what several at once may take where the receiver serves them side by side. */
const besideFactor = 2
const usualSettleMs = 5_000
const settleFactor = 4

/**
 * Lanes and waits that fit the speed that was measured: more lanes where an answer is mostly waited for and several come
 * as soon as one, longer waits where effects take long. `severalMs` is how long several plain answers took together.
 */
export function adapted({ answerMs, effectMs, severalMs }: Pace & { readonly severalMs: number }): {
  readonly lanes: number
  readonly settleMs: number
} {
  const isBeside = severalMs <= besideFactor * answerMs
  const lanes = isBeside ? Math.ceil((usualLanes * answerMs) / waitingMs) : usualLanes
  return {
    lanes: Math.min(mostLanes, Math.max(usualLanes, lanes)),
    settleMs: Math.max(usualSettleMs, Math.ceil(settleFactor * effectMs)),
  }
}

export const hasLongQueue = ({ effectMs }: Pace): boolean => effectMs >= longQueueMs

/** What the schedule of a run knows of a property. */
export type Scheduled = Pick<Property, 'share' | 'alone' | 'early'>

/** When each property of a run has to end; all times in ms, those of `now` and `until` on one clock. */
export interface Schedule {
  /**
   * What a property gets at least in every run of this budget, whichever are chosen and whatever the others do, as
   * long as what they take beyond their slices is within the spare part of the budget.
   */
  promisedMs(property: Scheduled): number
  /** When a property that begins now has to end; `toCome` begin after it. */
  endOf(
    property: Scheduled,
    at: {
      readonly now: number
      readonly until: number
      readonly toCome: readonly Scheduled[]
      readonly pace: Pace
    },
  ): number
}

export function createSchedule(
  all: readonly Scheduled[],
  { budgetMs, lanes }: { readonly budgetMs: number; readonly lanes: number },
): Schedule {
  const unitMs = (budgetMs * promisedShare) / lengthOf(all, lanes)
  const promisedMs = ({ share }: Scheduled) => share * unitMs
  return {
    promisedMs,
    endOf(property, { now, until, toCome, pace }) {
      const least = now + promisedMs(property)
      const kept = toCome.length > 0 ? until - budgetMs * spareShare : until
      // What shows a slow receiver first is not cut short for being slow.
      if (property.early) return until
      if (!isSlow(pace))
        return Math.min(until, Math.max(least, kept - lengthOf(toCome, lanes) * unitMs))
      const shares = lengthOf([property, ...toCome], lanes)
      return Math.min(until, Math.max(least, now + (property.share * (kept - now)) / shares))
    },
  }
}

/** A machine that had no time once may have less the next time. */
const margin = 1.25
const roundedToSeconds = 10

/**
 * Whole seconds of budget with which each required property that had no time in this run had had it, at the speed that
 * was seen, and what was given; null where none lacked time. Of a property that played nothing the others tell the
 * speed.
 */
export function neededSeconds<P>(
  reports: ReadonlyMap<P, PropertyReport>,
  {
    promisedMs,
    budgetMs,
    mostBudgetMs = budgetMs,
  }: {
    /** Of `budgetMs`. */
    promisedMs(property: P): number
    readonly budgetMs: number
    /** What there was for these, where they were given more than the budget. */
    readonly mostBudgetMs?: number
  },
): Report['budgetSeconds'] {
  const starved = [...reports].filter(([, report]) => isOutOfTime(report))
  if (starved.length === 0) return null
  const played = [...reports.values()].filter(({ histories }) => histories > 0)
  const usualSeconds = secondsOfEach(played)
  const factors = starved.map(([property, report]) => {
    const { histories, leftOut } = report
    const each = histories > 0 ? secondsOfEach([report]) : usualSeconds
    return (each * (histories + leftOut) * 1000) / promisedMs(property)
  })
  const needed = (Math.max(mostBudgetMs, Math.max(...factors) * budgetMs) * margin) / 1000
  return {
    given: mostBudgetMs / 1000,
    needed: Math.ceil(needed / roundedToSeconds) * roundedToSeconds,
  }
}

function secondsOfEach(reports: readonly PropertyReport[]): number {
  const sum = (part: 'seconds' | 'histories') =>
    reports.reduce((total, report) => total + report[part], 0)
  return sum('seconds') / Math.max(1, sum('histories'))
}

/**
 * In shares, at most, how long it takes until all have ended: lanes that take the next when they are free are done
 * after a lane's part of all and the longest of them.
 */
function lengthOf(properties: readonly Scheduled[], lanes: number): number {
  const sum = (some: readonly Scheduled[]) => some.reduce((total, { share }) => total + share, 0)
  const beside = properties.filter(({ alone }) => !alone)
  const longest = Math.max(0, ...beside.map(({ share }) => share))
  const alone = sum(properties.filter((property) => property.alone))
  return alone + sum(beside) / lanes + (lanes > 1 ? longest : 0)
}
