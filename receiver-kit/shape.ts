/** A test of one value, and what it expects in words. */
export interface Rule {
  readonly expected: string
  readonly holds: (value: unknown) => boolean
}
export type Shape = Readonly<Record<string, Rule>>

export const text: Rule = {
  expected: 'a string',
  holds: (value) => typeof value === 'string' && value !== '',
}
export const number: Rule = { expected: 'a number', holds: (value) => typeof value === 'number' }
export const count: Rule = {
  expected: 'a whole number',
  holds: (value) => Number.isSafeInteger(value) && (value as number) >= 0,
}
export const time: Rule = {
  expected: 'an ISO 8601 time',
  holds: (value) => typeof value === 'string' && !Number.isNaN(Date.parse(value)),
}
export const object: Rule = { expected: 'an object', holds: isObject }

export function oneOf(...values: readonly unknown[]): Rule {
  return { expected: values.join(' or '), holds: (value) => values.includes(value) }
}

/** Null, or left out, which reads the same. */
export function optional(rule: Rule): Rule {
  return {
    expected: `${rule.expected} or null`,
    holds: (value) => value === null || value === undefined || rule.holds(value),
  }
}

export function nested(shape: Shape): Rule {
  return {
    expected: `an object with ${Object.keys(shape).join(', ')}`,
    holds: (value) => isObject(value) && mismatch(value, shape) === null,
  }
}

/** The first member that breaks the shape, in words that quote no value; null when all hold. */
export function mismatch(
  value: Readonly<Record<string, unknown>>,
  shape: Shape,
): { readonly member: string; readonly detail: string } | null {
  for (const [member, rule] of Object.entries(shape)) {
    const found = value[member]
    if (!rule.holds(found))
      return { member, detail: `${member}: expected ${rule.expected}, got ${kindOf(found)}` }
  }
  return null
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'string') return value === '' ? 'an empty string' : 'another string'
  return typeof value === 'object' ? 'an object' : `another ${typeof value}`
}
