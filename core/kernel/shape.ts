import { charactersOf, hasControl, hasLoneSurrogate, isStorable } from '../base/text/text-rules.ts'
import { wrong } from './ledger/input-errors.ts'
import { isoTime } from './ledger/iso-time.ts'
import type { FieldError } from './ledger/refusal.ts'

/**
 * A value described once: what is stored of it (`Row`), what a caller of the facade gives (`In`), what a caller gets
 * (`Out`), and its JSON Schema. Times, for instance, are ms in rows and inputs, and ISO 8601 in answers.
 */
export interface Shape<Row, In = Row, Out = Row> {
  /** Faults of an input, with their JSON pointers (RFC 6901) below `at`; none where it holds. */
  readonly faults: (value: unknown, at: string) => readonly FieldError[]
  /** The stored form of an input without faults. */
  take(input: In): Row
  show(row: Row): Out
  /** Converts a member of a JSON body to an input; what it can't convert it returns unchanged, for `faults`. */
  readonly fromJson: (value: unknown) => unknown
  /** As `fromJson`, of the text of a query parameter. */
  readonly fromText: (text: string) => unknown
  /** Schemas of what is sent and of what is answered; that of answers may be laxer. */
  readonly json: { readonly input: JsonSchema; readonly answer: JsonSchema }
  /** Whether an input may lack it. */
  readonly optional: boolean
  /** Whether rows and answers may lack it too. */
  readonly absent?: true
  /** Set by the host about the caller, and so part of no body, query or API description. */
  readonly fromHost?: true
  /** Its type as a column; null: it lives in the body of a row alone. */
  readonly column: 'text' | 'int' | null
}

/** JSON Schema 2020-12. */
export type JsonSchema = { readonly [keyword: string]: unknown }

/** A shape of whatever value: a bound of type parameters. */
export type AnyShape = Shape<unknown, unknown, unknown>
/** Members of an object, by name. */
export type Members = Readonly<Record<string, AnyShape>>

/** The stored form of a shape's value. */
export type RowOf<S> = S extends Shape<infer Row, infer _In, infer _Out> ? Row : never
/** As callers give it. */
export type InOf<S> = S extends Shape<infer _Row, infer In, infer _Out> ? In : never
/** As callers get it. */
export type OutOf<S> = S extends Shape<infer _Row, infer _In, infer Out> ? Out : never

/** An object with these members as it is stored. */
export type RowsOf<M extends Members> = Merged<{ readonly [Name in keyof M]: RowOf<M[Name]> }>
/** As callers give it. */
export type InsOf<M extends Members> = Merged<{ readonly [Name in keyof M]: InOf<M[Name]> }>
/** As callers get it. */
export type OutsOf<M extends Members> = Merged<{ readonly [Name in keyof M]: OutOf<M[Name]> }>

type Optional<T> = { [Name in keyof T]: undefined extends T[Name] ? Name : never }[keyof T]
/**
 * Makes members that may be undefined optional. `infer Whole` flattens the result, so that emitted declarations name
 * none of these helper types.
 */
type Merged<T> = {
  readonly [Name in Exclude<keyof T, Optional<T>>]: T[Name]
} & { readonly [Name in Optional<T>]?: T[Name] } extends infer Whole
  ? { readonly [Name in keyof Whole]: Whole[Name] }
  : never

/** The shape of an object with these members, whose answer has a named type. */
export type Named<M extends Members, Out> = Shape<RowsOf<M>, InsOf<M>, Out>

interface Leaf {
  readonly json: JsonSchema
  readonly answer?: JsonSchema
  readonly column?: 'text' | 'int'
  readonly fromText?: (text: string) => unknown
}

const same = <T>(value: T): T => value
const noFaults: readonly FieldError[] = []

function leaf<T>(
  faults: (value: unknown) => string | null,
  { json, answer = json, column, fromText = same }: Leaf,
): Shape<T> {
  return {
    faults: (value, at) => {
      const fault = faults(value)
      return fault === null ? noFaults : [wrong(at, fault)]
    },
    take: same,
    show: same,
    fromJson: same,
    fromText,
    json: { input: json, answer },
    optional: false,
    column: column ?? null,
  }
}

/** Free text of `least` to `most` characters, without NUL and lone surrogates. */
export function text(most: number, least: 0 | 1 = 1): Shape<string> {
  return leaf((value) => faultOfText(value, most, least), textOf(most, least))
}

function textOf(most: number, least: 0 | 1 = 1, pattern?: string): Leaf {
  const minLength = least > 0 && { minLength: least }
  return {
    json: { type: 'string', ...minLength, maxLength: most, ...(pattern && { pattern }) },
    answer: { type: 'string' },
    column: 'text',
  }
}

/** Text of 1 to `most` characters; the operation checks everything else. */
export function anyText(most: number): Shape<string> {
  return leaf((value) => faultOfLength(value, most), textOf(most))
}

/** Control characters, inside a character class, in the syntax that every regex dialect has. */
const controls = String.raw`\u0000-\u001f\u007f-\u009f`

/** As `text`, without control characters: ids, labels. */
export function line(most: number): Shape<string> {
  return leaf((value) => faultOfLine(value, most), textOf(most, 1, `^[^${controls}]*$`))
}

/** As `line`, and more than white space, which is trimmed. */
export function name(most: number): Shape<string> {
  const form = `^[^${controls}]*[^\\s${controls}][^${controls}]*$`
  return {
    ...leaf<string>((value) => faultOfName(value, most), textOf(most, 1, form)),
    take: (input) => input.trim(),
  }
}

/** A finite number: JSON has no NaN and no Infinity. */
export const number: Shape<number> = leaf(
  (value) => (Number.isFinite(value) ? null : expected('a number', value)),
  { json: { type: 'number' }, fromText: (given) => (given === '' ? given : Number(given)) },
)

/** A number from `least` to `most`. */
export function numberFrom(least: number, most: number): Shape<number> {
  return leaf(
    (value) =>
      Number.isFinite(value) && (value as number) >= least && (value as number) <= most
        ? null
        : expected(`a number from ${least} to ${most}`, value),
    { json: { type: 'number', minimum: least, maximum: most } },
  )
}

/** A whole number from `least` to `most`. */
export function whole(least: number, most: number): Shape<number> {
  return leaf(
    (value) =>
      Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most
        ? null
        : expected(`a whole number from ${least} to ${most}`, value),
    {
      json: { type: 'integer', minimum: least, maximum: most },
      column: 'int',
      // Canonical decimal digits alone.
      fromText: (given) => (/^(0|[1-9]\d{0,15})$/.test(given) ? Number(given) : given),
    },
  )
}

export const flag: Shape<boolean> = leaf(
  (value) => (typeof value === 'boolean' ? null : expected('true or false', value)),
  {
    json: { type: 'boolean' },
    fromText: (given) => (given === 'true' ? true : given === 'false' ? false : given),
  },
)

/** One of a list of texts. */
export function oneOf<const V extends readonly string[]>(values: V): Shape<V[number]> {
  return leaf(
    (value) =>
      values.includes(value as string) ? null : expected(`one of ${values.join(', ')}`, value),
    { json: { type: 'string', enum: values }, column: 'text' },
  )
}

/** One value and no other. */
export function just<const V extends string | number | boolean>(value: V): Shape<V> {
  return leaf((given) => (given === value ? null : expected(String(value), given)), {
    json: { type: typeof value, const: value },
  })
}

/** Null alone, such as a member that only answers in another state fill. */
export const none: Shape<null> = leaf(
  (value) => (value === null ? null : expected('null', value)),
  { json: { type: 'null' } },
)

/** A value that the service makes and keeps, in the body of a row unless it is a column; no input holds it. */
export function stored<Row>(column?: 'text' | 'int'): Shape<Row> {
  const isNone = () => 'expected none: the service sets it'
  return leaf(isNone, column ? { json: {}, column } : { json: {} })
}

/** Text that matches `form`, which schemas show too; `means` names it in errors. */
export function pattern(form: RegExp, means: string, most: number): Shape<string> {
  return leaf(
    (value) =>
      typeof value === 'string' && value.length <= most && form.test(value)
        ? null
        : expected(means, value),
    { ...textOf(most, 0, form.source), answer: { type: 'string', pattern: form.source } },
  )
}

/** Any JSON; what it may hold is checked by the operation. */
export const anything: Shape<unknown> = leaf(() => null, { json: {} })

const timeForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:[0-5]\d(\.\d+)?Z$/
const timeSchema = (pattern: string) => ({ type: 'string', format: 'date-time', pattern })

/** Ms since the epoch in rows and inputs, ISO 8601 in UTC in JSON and answers. */
export const time: Shape<number, number, string> = {
  ...leaf<number>(
    (value) => (Number.isSafeInteger(value) ? null : expected('an ISO 8601 time in UTC', value)),
    {
      json: timeSchema(timeForm.source),
      answer: timeSchema(String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d:[0-5]\d\.\d{3}Z$`),
      column: 'int',
      fromText: timeOf,
    },
  ),
  fromJson: timeOf,
  show: isoTime,
}

function timeOf(value: unknown): unknown {
  // As text, since `faults` would take a number in a body for ms.
  if (typeof value === 'number') return String(value)
  if (typeof value !== 'string' || !timeForm.test(value)) return value
  const ms = Date.parse(value)
  // `Date.parse` rolls impossible times over: 24:00, the 30th of February.
  return Number.isNaN(ms) || isoTime(ms).slice(0, 19) !== value.slice(0, 19) ? value : ms
}

function faultOfText(value: unknown, most: number, least = 1): string | null {
  const fault = faultOfLength(value, most, least)
  if (fault !== null || isStorable(value as string)) return fault
  return 'expected text without NUL and lone surrogates'
}

function faultOfLength(value: unknown, most: number, least = 1): string | null {
  if (typeof value !== 'string') return `expected text, got ${typeOf(value)}`
  // Characters are counted where units of UTF-16, of which each has one or two, leave it open.
  if (value.length <= most && value.length >= 2 * least) return null
  const length = charactersOf(value)
  return length < least || length > most
    ? `expected ${least} to ${most} characters, got ${length}`
    : null
}

function faultOfLine(value: unknown, most: number): string | null {
  return typeof value === 'string' && (hasControl(value) || hasLoneSurrogate(value))
    ? 'expected one line without control characters and lone surrogates'
    : faultOfText(value, most)
}

function faultOfName(value: unknown, most: number): string | null {
  return typeof value === 'string' && value.trim() === ''
    ? `expected 1 to ${most} characters, got none`
    : faultOfLine(value, most)
}

/** Longer texts are not quoted in answers: they may be secrets or personal data. */
const longestQuote = 16

/** The type of a value, without the value: where a text is expected, digits alone may be a password. */
function typeOf(value: unknown): string {
  if (value === undefined) return 'none'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

/** Says what was expected and what came: numbers and short texts as they are, anything else by its kind. */
function expected(what: string, value: unknown): string {
  return `expected ${what}, got ${kindOf(value)}`
}

function kindOf(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (typeof value !== 'string') return typeOf(value)
  return value.length <= longestQuote
    ? JSON.stringify(value)
    : `a text of ${value.length} characters`
}
