/** ISO 8601 UTC with milliseconds, of ms since the epoch. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString()
}
