/** How a time is written that is signed as it stands: ISO 8601 in UTC with milliseconds, so that all read the same of it. */
export const writtenTimeForm: RegExp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:[0-5]\d\.\d{3}Z$/

const yearOneMs = Date.parse('0001-01-01T00:00:00.000Z')

/** The time that was written in this form, ms since the epoch; NaN for any other text, a day that is none among it. */
export function msOfWritten(text: string): number {
  const ms = writtenTimeForm.test(text) ? Date.parse(text) : Number.NaN
  return ms >= yearOneMs && new Date(ms).toISOString() === text ? ms : Number.NaN
}
