import { hasLoneSurrogate } from './text-rules.ts'

/** Levels of objects and arrays of a JSON text. */
export const deepest = 64
/** UTF-16 units of a member's name. */
export const longestMemberName = 1000

const forbiddenNames = new Set(['__proto__', 'constructor', 'prototype'])

/** What is wrong with a JSON text whose parsing would change it (RFC 7493), or that nothing behind it should meet. */
export const jsonFaults = {
  levels: `expected at most ${deepest} levels of nesting`,
  longName: `expected names of members of at most ${longestMemberName} characters`,
  forbiddenName: 'a member may not be named __proto__, constructor or prototype',
  repeatedName: 'expected each member once',
  halfPair: 'expected text without half surrogate pairs',
  number:
    'expected a number that a double holds, and whole numbers up to 2^53 - 1; send others as text',
} as const

/** What is wrong with a member's name; `wellFormed`: it is known to have no half of a surrogate pair. */
export function faultOfName(
  name: string,
  wellFormed = false,
): 'longName' | 'forbiddenName' | 'halfPair' | null {
  if (name.length > longestMemberName) return 'longName'
  if (!wellFormed && hasLoneSurrogate(name)) return 'halfPair'
  return forbiddenNames.has(name) ? 'forbiddenName' : null
}
