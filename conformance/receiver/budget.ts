import type { Property } from './property.ts'

/** Below these a receiver is through with a whole run in the budget: ms of a plain answer, and of a few effects. */
export const quickAnswerMs = 50
const quickEffectMs = 500
/** From here on a burst leaves a queue for minutes. */
const longQueueMs = 2_000
const leastSliceMs = 1_000

export interface Pace {
  /** The best time of a plain answer. */
  readonly answerMs: number
  /** Until a few events that came together had their effects. */
  readonly effectMs: number
}

export const isSlow = ({ answerMs, effectMs }: Pace): boolean =>
  answerMs >= quickAnswerMs || effectMs >= quickEffectMs

export const hasLongQueue = ({ effectMs }: Pace): boolean => effectMs >= longQueueMs

/** When a property has to end, so that a slow receiver leaves some time for each that is still to come. */
export function sliceEnd(
  { until, lanes }: { readonly until: number; readonly lanes: number },
  toCome: readonly Property[],
  pace: Pace,
): number {
  if (!isSlow(pace)) return until
  const alone = toCome.filter((property) => property.alone).length
  const shares = alone + (toCome.length - alone) / lanes
  const now = performance.now()
  return Math.min(until, now + Math.max(leastSliceMs, (until - now) / Math.max(1, shares)))
}
