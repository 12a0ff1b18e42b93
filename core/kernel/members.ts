import type { FieldError } from '../ledger/refusal.ts'
import type { AnyShape, InsOf, JsonSchema, Members, OutsOf, RowsOf, Shape } from './shape.ts'

type Given = Readonly<Record<string, unknown>>

/** Faults of an input: of each member, of those that are missing, and of those that nobody expects. */
export function faultsOf(members: Members, input: unknown, at = ''): readonly FieldError[] {
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    return [fault('invalid_type', at, 'expected an object')]
  const given = input as Given
  return [
    ...Object.entries(members).flatMap(([name, shape]) => {
      const value = given[name]
      const pointer = `${at}/${name}`
      return value === undefined && !shape.optional
        ? [fault('required', pointer, 'expected a value, got none')]
        : shape.faults(value, pointer)
    }),
    ...Object.keys(given)
      .filter((name) => !Object.hasOwn(members, name))
      .map((name) =>
        fault('unknown_member', `${at}/${escaped(name)}`, `${quoted(name)} is not expected`),
      ),
  ]
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
  return Object.fromEntries(
    Object.entries(body as Given).map(([name, value]) => [
      name,
      Object.hasOwn(members, name) ? members[name]?.fromJson(value) : value,
    ]),
  )
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
    .filter(([, shape]) => side === 'answer' || !shape.optional)
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

/** 0 to `most` values of one shape. */
export function listOf<Row, In, Out>(
  item: Shape<Row, In, Out>,
  most: number = Number.MAX_SAFE_INTEGER,
): Shape<readonly Row[], readonly In[], readonly Out[]> {
  const bound = most < Number.MAX_SAFE_INTEGER ? { maxItems: most } : {}
  return {
    faults: (value, at) => {
      if (!Array.isArray(value)) return [fault('invalid_type', at, 'expected an array')]
      if (value.length > most)
        return [fault('too_big', at, `expected at most ${most} items, got ${value.length}`)]
      return value.flatMap((one, index) => item.faults(one, `${at}/${index}`))
    },
    take: (input) => input.map(item.take),
    show: (row) => row.map(item.show),
    fromJson: (value) => (Array.isArray(value) ? value.map(item.fromJson) : value),
    fromText: (text) => text,
    json: {
      input: { type: 'array', items: item.json.input, ...bound },
      answer: { type: 'array', items: item.json.answer },
    },
    optional: false,
    column: null,
  }
}

function each(members: Members, of: (shape: AnyShape, name: string) => unknown): JsonSchema {
  return Object.fromEntries(Object.entries(members).map(([name, shape]) => [name, of(shape, name)]))
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
