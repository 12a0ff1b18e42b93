const digits = /^\d{1,20}$/

/** The decimal digits of a fixed64 in JSON, without leading zeros; null where it is none, and for 0, its default. */
export function nanosecondsOf(given: unknown): string | null {
  const text = typeof given === 'number' ? String(given) : given
  if (typeof text !== 'string' || !digits.test(text)) return null
  const significant = text.replace(/^0+/, '')
  return significant === '' ? null : significant
}

/** Whether one count of nanoseconds is less than the other. */
export function isBefore(one: string, other: string): boolean {
  return one.length === other.length ? one < other : one.length < other.length
}

/** Whole milliseconds, rounded down. */
export function millisecondsOf(nanoseconds: string): number {
  return Number(nanoseconds.slice(0, -6))
}
