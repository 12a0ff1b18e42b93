import type { ReasonCategory } from './reasons.ts'

/**
 * Shapes of JSON as data. A shape is the name of a kind, a list of the values that are allowed, or the members of an
 * object. A member whose name ends in `?` may be null; without a value it is sent as null, never left out.
 */
export type EventShape = Kind | readonly (string | number | null)[] | EventMembers
/** Members of an object, by name. */
export interface EventMembers {
  readonly [member: string]: EventShape
}

/** The kinds, and what each is in TypeScript. */
export interface Kinds {
  /** Not empty. */
  readonly text: string
  /** ISO 8601 in UTC with milliseconds. */
  readonly time: string
  readonly number: number
  /** A whole number from 0. */
  readonly count: number
  /** A reason category; a reader takes a value that it does not know for `other`. */
  readonly reason: ReasonCategory
  readonly texts: readonly string[]
  /** An object whose values are numbers, under names of the sender's choice. */
  readonly numbers: Readonly<Record<string, number>>
  readonly object: Readonly<Record<string, unknown>>
  readonly json: unknown
}
/** Name of a kind. */
export type Kind = keyof Kinds

/** What a value of this shape is in TypeScript. */
export type ValueOf<S> = S extends Kind
  ? Kinds[S]
  : S extends readonly (infer Value)[]
    ? Value
    : ObjectOf<S>

/** An object with these members in TypeScript. */
export type ObjectOf<M> = {
  readonly [Name in keyof M as NameOf<Name>]: Name extends `${string}?`
    ? ValueOf<M[Name]> | null
    : ValueOf<M[Name]>
}
type NameOf<Name> = Name extends `${infer Bare}?` ? Bare : Name

const kinds: Readonly<
  Record<Kind, readonly [expected: string, holds: (value: unknown) => boolean]>
> = {
  text: ['a string', isText],
  time: ['an ISO 8601 time', (value) => isText(value) && !Number.isNaN(Date.parse(value))],
  number: ['a number', (value) => typeof value === 'number'],
  count: ['a whole number', (value) => Number.isSafeInteger(value) && (value as number) >= 0],
  reason: ['a string', isText],
  texts: ['an array of strings', (value) => Array.isArray(value) && value.every(isText)],
  numbers: [
    'an object of numbers',
    (value) => isObject(value) && Object.values(value).every((one) => typeof one === 'number'),
  ],
  object: ['an object', isObject],
  json: ['a value', () => true],
}

/** Why a value breaks a shape. */
export interface Mismatch {
  /** The outermost member at fault. */
  readonly member: string
  /** Path, expectation and the kind that was found; quotes no value. */
  readonly detail: string
}

/** The members of a shape by their bare names, and whether each may be null. */
export function membersOf(
  shape: EventMembers,
): readonly (readonly [string, EventShape, boolean])[] {
  return Object.entries(shape).map(([name, member]) =>
    name.endsWith('?') ? [name.slice(0, -1), member, true] : [name, member, false],
  )
}

/** The first member that breaks the shape, or null. An absent member counts as null; other members pass. */
export function mismatch(
  value: Readonly<Record<string, unknown>>,
  shape: EventMembers,
  path = '',
): Mismatch | null {
  for (const name in shape) {
    const nullable = name.endsWith('?')
    const member = nullable ? name.slice(0, -1) : name
    const found = value[member]
    if (nullable && (found ?? null) === null) continue
    const detail = faultOf(found, shape[name] as EventShape, `${path}${member}`)
    if (detail !== null) return { member, detail }
  }
  return null
}

function faultOf(found: unknown, shape: EventShape, path: string): string | null {
  if (typeof shape === 'string') {
    const [expected, holds] = kinds[shape]
    return holds(found) ? null : wrong(path, expected, found)
  }
  // The cast is for the type alone: `includes` takes only what the list's own type has.
  if (isList(shape))
    return shape.includes((found ?? null) as null) ? null : wrong(path, shape.join(' or '), found)
  return isObject(found)
    ? (mismatch(found, shape, `${path}.`)?.detail ?? null)
    : wrong(path, 'an object', found)
}

function wrong(path: string, expected: string, found: unknown): string {
  return `${path}: expected ${expected}, got ${kindOf(found)}`
}

/** Whether a shape is a list of values; `Array.isArray` does not narrow a readonly one. */
export function isList(shape: EventShape): shape is readonly (string | number | null)[] {
  return Array.isArray(shape)
}

/** Whether it is a JSON object. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether it is a string and not empty. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

/** Whether it is a whole number from 0. */
export function isCount(value: unknown): value is number {
  return kinds.count[1](value)
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'string') return value === '' ? 'an empty string' : 'another string'
  return typeof value === 'object' ? 'an object' : `another ${typeof value}`
}
