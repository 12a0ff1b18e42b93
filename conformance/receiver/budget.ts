import type { Property } from './property.ts'
import type { Tally } from './target.ts'

/** A receiver whose plain answers take no longer, ms, is through with a whole run in the budget. */
const quickAnswerMs = 50
const leastSliceMs = 1_000

/** When a property has to end, so that a slow receiver leaves some time for each that is still to come. */
export function sliceEnd(
  { until, lanes }: { readonly until: number; readonly lanes: number },
  toCome: readonly Property[],
  { plainMs }: Pick<Tally, 'plainMs'>,
): number {
  if (Math.min(...plainMs) < quickAnswerMs) return until
  const alone = toCome.filter((property) => property.alone).length
  const shares = alone + (toCome.length - alone) / lanes
  const now = performance.now()
  return Math.min(until, now + Math.max(leastSliceMs, (until - now) / Math.max(1, shares)))
}
