/** Levels of JSON that a message may have: all that have no more can be copied, and written. */
export const mostLevels = 512

/** What is told of JSON with more levels. */
export const tooDeepText = `expected JSON of at most ${mostLevels} levels`

/** Whether a value has more levels than a message may have. */
export function isTooDeep(value: unknown, levels = mostLevels): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((each) => isTooDeep(each, levels - 1))
}
