import type fc from 'fast-check'

/** How a generated history is run: the error itself stands in the message, for runners that print no cause. */
export function generated(runs: number, seed: number | undefined): fc.Parameters<unknown> {
  return { numRuns: runs, includeErrorInReport: true, ...(seed !== undefined && { seed }) }
}
