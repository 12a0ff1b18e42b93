import { wrong } from './ledger/input-errors.ts'
import type { FieldError } from './ledger/refusal.ts'
import type { AnyShape, InsOf, JsonSchema, Members, OutsOf, RowsOf, Shape } from './shape.ts'

type Given = Readonly<Record<string, unknown>>

/**
 * Faults of an input: of each member, of those that are missing, and of those that nobody expects, unless it is open for
 * others.
 */
export function faultsOf(
  members: Members,
  input: unknown,
  at = '',
  isOpen = false,
): readonly FieldError[] {
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    return [fault('invalid_type', at, 'expected an object')]
  const given = input as Given
  const faults: FieldError[] = []
  // One list for all members: most have no fault, and inputs have dozens.
  for (const name in members) {
    const shape = members[name] as AnyShape
    const value = given[name]
    const pointer = `${at}/${name}`
    if (value === undefined && !shape.optional)
      faults.push(fault('required', pointer, 'expected a value, got none'))
    else for (const each of shape.faults(value, pointer)) faults.push(each)
  }
  if (isOpen) return faults
  for (const name of Object.keys(given))
    if (!Object.hasOwn(members, name))
      faults.push(
        fault('unknown_member', `${at}/${escaped(name)}`, `${quoted(name)} is not expected`),
      )
  return faults
}

/** The stored form of an input without faults. */
export function takeAll<M extends Members>(members: M, input: InsOf<M>): RowsOf<M> {
  return each(members, (shape, name) => shape.take((input as Given)[name])) as RowsOf<M>
}

/** What callers get of a row; members of it that are not named are left out. */
export function showAll<M extends Members>(members: M, row: RowsOf<M>): OutsOf<M> {
  return each(members, (shape, name) => shape.show((row as Given)[name])) as OutsOf<M>
}

/** The input that a JSON body stands for, to be checked by `faultsOf`; what is no object stays as it is. */
export function inputOf(members: Members, body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
  const input: Record<string, unknown> = { ...body }
  for (const name in members)
    if (Object.hasOwn(input, name)) input[name] = members[name]?.fromJson(input[name])
  return input
}

/** As `inputOf`, of the parameters of a query, of which one that is given twice is an array. */
export function textInputOf(members: Members, query: unknown): unknown {
  return Object.fromEntries(
    Object.entries(query as Given).map(([name, value]) => [
      name,
      typeof value === 'string' && Object.hasOwn(members, name)
        ? members[name]?.fromText(value)
        : value,
    ]),
  )
}

/** The JSON Schema of an object: closed where it is sent, open in an answer, whose members may grow. */
export function schemaOf(members: Members, side: 'input' | 'answer'): JsonSchema {
  const required = Object.entries(members)
    .filter(([, shape]) => (side === 'answer' ? !shape.absent : !shape.optional))
    .map(([name]) => name)
  return {
    type: 'object',
    properties: each(members, (shape) => shape.json[side]),
    ...(required.length > 0 && { required }),
    ...(side === 'input' && { additionalProperties: false }),
  }
}

/** An object with these members; a title names it in descriptions. */
export function object<M extends Members>(
  members: M,
  title?: string,
): Shape<RowsOf<M>, InsOf<M>, OutsOf<M>> {
  const named = title === undefined ? {} : { title }
  return {
    faults: (value, at) => faultsOf(members, value, at),
    take: (input) => takeAll(members, input),
    show: (row) => showAll(members, row),
    fromJson: (value) => inputOf(members, value),
    fromText: (text) => text,
    json: {
      input: { ...named, ...schemaOf(members, 'input') },
      answer: { ...named, ...schemaOf(members, 'answer') },
    },
    optional: false,
    column: null,
  }
}

/** As `object`, whose values may have other members too; neither `take` nor `show` keeps those. */
export function openObject<M extends Members>(
  members: M,
  title?: string,
): Shape<RowsOf<M>, InsOf<M>, OutsOf<M>> {
  const closed = object(members, title)
  const { additionalProperties: _, ...input } = closed.json.input
  return {
    ...closed,
    faults: (value, at) => faultsOf(members, value, at, true),
    json: {
      input: { ...input, additionalProperties: {} },
      answer: { ...closed.json.answer, additionalProperties: {} },
    },
  }
}

/** How many values a list may hold, and whether two of them may be the same. */
interface ListRules {
  readonly least?: number
  readonly most?: number
  /** Texts or numbers, of which no two are the same. */
  readonly unique?: true
}

/** Values of one shape. */
export function listOf<Row, In, Out>(
  item: Shape<Row, In, Out>,
  { least = 0, most = Number.MAX_SAFE_INTEGER, unique }: ListRules = {},
): Shape<readonly Row[], readonly In[], readonly Out[]> {
  const bounds = {
    ...(least > 0 && { minItems: least }),
    ...(most < Number.MAX_SAFE_INTEGER && { maxItems: most }),
    ...(unique && { uniqueItems: true }),
  }
  return {
    faults: (value, at) => {
      if (!Array.isArray(value)) return [fault('invalid_type', at, 'expected an array')]
      if (value.length < least)
        return [fault('too_small', at, `expected at least ${least} items, got ${value.length}`)]
      if (value.length > most)
        return [fault('too_big', at, `expected at most ${most} items, got ${value.length}`)]
      const faults = value.flatMap((one, index) => item.faults(one, `${at}/${index}`))
      return faults.length === 0 && unique && new Set(value).size < value.length
        ? [wrong(at, 'expected no item twice')]
        : faults
    },
    take: (input) => input.map(item.take),
    show: (row) => row.map(item.show),
    fromJson: (value) => (Array.isArray(value) ? value.map(item.fromJson) : value),
    fromText: (text) => text,
    json: {
      input: { type: 'array', items: item.json.input, ...bounds },
      answer: { type: 'array', items: item.json.answer },
    },
    optional: false,
    column: null,
  }
}

/** Values of one shape under names of another, at most so many. */
export function recordOf<Row, In, Out>(
  key: Shape<string>,
  value: Shape<Row, In, Out>,
  most: number,
): Shape<
  Readonly<Record<string, Row>>,
  Readonly<Record<string, In>>,
  Readonly<Record<string, Out>>
> {
  const map = <A, B>(given: Readonly<Record<string, A>>, of: (each: A) => B) =>
    Object.fromEntries(Object.entries(given).map(([name, each]) => [name, of(each)]))
  return {
    faults(given, at) {
      if (typeof given !== 'object' || given === null || Array.isArray(given))
        return [fault('invalid_type', at, 'expected an object')]
      const entries = Object.entries(given)
      if (entries.length > most)
        return [fault('too_big', at, `expected at most ${most} members, got ${entries.length}`)]
      return entries.flatMap(([name, each]) => {
        const pointer = `${at}/${escaped(name)}`
        return [...key.faults(name, pointer), ...value.faults(each, pointer)]
      })
    },
    take: (input) => map(input, value.take),
    show: (row) => map(row, value.show),
    fromJson: (given) =>
      typeof given === 'object' && given !== null && !Array.isArray(given)
        ? map(given as Given, value.fromJson)
        : given,
    fromText: (text) => text,
    json: {
      input: {
        type: 'object',
        propertyNames: key.json.input,
        additionalProperties: value.json.input,
        maxProperties: most,
      },
      answer: { type: 'object', additionalProperties: value.json.answer },
    },
    optional: false,
    column: null,
  }
}

type Kinds = Readonly<Record<string, Members>>
type Variant<Tag extends string, Kind, Rest> = { readonly [T in Tag]: Kind } & Rest

/** Objects of several kinds; the member `tag` holds the name of the kind. */
export function byKind<const Tag extends string, const K extends Kinds>(
  tag: Tag,
  kinds: K,
): Shape<
  { [Kind in keyof K]: Variant<Tag, Kind, RowsOf<K[Kind]>> }[keyof K],
  { [Kind in keyof K]: Variant<Tag, Kind, InsOf<K[Kind]>> }[keyof K],
  { [Kind in keyof K]: Variant<Tag, Kind, OutsOf<K[Kind]>> }[keyof K]
> {
  const names = Object.keys(kinds)
  const kindOf = (value: unknown): Members | undefined => {
    const kind = typeof value === 'object' && value !== null ? (value as Given)[tag] : undefined
    return typeof kind === 'string' && Object.hasOwn(kinds, kind) ? kinds[kind] : undefined
  }
  const whole = (value: object, of: (members: Members) => object) => ({
    [tag]: (value as Given)[tag],
    ...of(kindOf(value) ?? {}),
  })
  const variants = (side: 'input' | 'answer') =>
    Object.entries(kinds).map(([kind, members]) => {
      const { properties, required = [], ...rest } = schemaOf(members, side)
      return {
        ...rest,
        properties: { [tag]: { type: 'string', const: kind }, ...(properties as object) },
        required: [tag, ...(required as readonly string[])],
      }
    })
  const shape: Shape<object> = {
    faults(value, at) {
      if (typeof value !== 'object' || value === null || Array.isArray(value))
        return [fault('invalid_type', at, 'expected an object')]
      const members = kindOf(value)
      const { [tag]: kind, ...rest } = value as Given
      const pointer = `${at}/${tag}`
      if (kind === undefined) return [fault('required', pointer, 'expected a value, got none')]
      if (!members) return [wrong(pointer, `expected one of ${names.join(', ')}`)]
      return faultsOf(members, rest, at)
    },
    take: (input) => whole(input, (members) => takeAll<Members>(members, input as Given)),
    show: (row) => whole(row, (members) => showAll<Members>(members, row as Given)),
    fromJson(value) {
      const members = kindOf(value)
      return members ? { ...(inputOf(members, value) as object) } : value
    },
    fromText: (text) => text,
    json: { input: { oneOf: variants('input') }, answer: { anyOf: variants('answer') } },
    optional: false,
    column: null,
  }
  return shape as never
}

/** What is made of each member; an absent one stays absent. */
function each(members: Members, of: (shape: AnyShape, name: string) => unknown): JsonSchema {
  const made: Record<string, unknown> = {}
  for (const name of Object.keys(members)) {
    const value = of(members[name] as AnyShape, name)
    if (value !== undefined) made[name] = value
  }
  return made
}

function fault(code: string, pointer: string, detail: string): FieldError {
  return { code, detail, pointer, parameter: null }
}

const longestQuote = 64

function quoted(name: string): string {
  return JSON.stringify(name.length <= longestQuote ? name : `${name.slice(0, longestQuote)}…`)
}

/** A name as a part of a JSON pointer (RFC 6901, 3). */
function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}
