import { wrong } from './ledger/input-errors.ts'
import type { FieldError } from './ledger/refusal.ts'
import { type AnyShape, type JsonSchema, type RowOf, type Shape, stored } from './shape.ts'

/** A value or null; an input may lack it, which is null. */
export function orNull<Row, In, Out>(
  shape: Shape<Row, In, Out>,
): Shape<Row | null, In | null | undefined, Out | null> {
  return {
    ...shape,
    faults: (value, at) => ((value ?? null) === null ? [] : shape.faults(value, at)),
    take: (input) => (input === null || input === undefined ? null : shape.take(input)),
    show: (row) => (row === null ? null : shape.show(row)),
    fromJson: (value) => (value === null ? null : shape.fromJson(value)),
    json: { input: nullable(shape.json.input), answer: nullable(shape.json.answer) },
    optional: true,
  }
}

/** A value that an input may lack, which then is `row`. */
export function usual<Row, In, Out>(
  shape: Shape<Row, In, Out>,
  row: Row,
): Shape<Row, In | undefined, Out> {
  return {
    ...shape,
    faults: (value, at) => (value === undefined ? [] : shape.faults(value, at)),
    take: (input) => (input === undefined ? row : shape.take(input)),
    json: { ...shape.json, input: { ...shape.json.input, default: row } },
    optional: true,
  }
}

/**
 * A value that an input, a row or an answer may lack. In the input of an update the absent member keeps what is stored;
 * null of an `orNull` is a value as any other.
 */
export function optional<Row, In, Out>(
  shape: Shape<Row, In, Out>,
): Shape<Row | undefined, In | undefined, Out | undefined> {
  const { default: _, ...input } = shape.json.input
  return {
    ...shape,
    faults: (value, at) => (value === undefined ? [] : shape.faults(value, at)),
    take: (value) => (value === undefined ? undefined : shape.take(value)),
    show: (row) => (row === undefined ? undefined : shape.show(row)),
    json: { input, answer: shape.json.answer },
    optional: true,
    absent: true,
  }
}

type Kept<M> = {
  readonly [Name in keyof M]: M[Name] extends Shape<infer Row, infer In, infer Out>
    ? Shape<Row | undefined, In | undefined, Out | undefined>
    : never
}

/** Each of these members optional: what an update takes of a definition. */
export function optionalEach<M extends object>(members: M): Kept<M> {
  return Object.fromEntries(
    Object.entries(members).map(([name, shape]) => [name, optional(shape as Shape<unknown>)]),
  ) as Kept<M>
}

/** Faults that the schemas of their shapes do not tell of. */
const undescribed = new WeakSet<FieldError>()

/** Whether the schema of a shape tells of a fault. The rules of `checked` are no part of it. */
export function isDescribed(fault: FieldError): boolean {
  return !undescribed.has(fault)
}

/** A value that the host says of the caller, such as their network address: no part of what the caller sends. */
export function fromHost<T>(): Shape<T> {
  return { ...stored<T>(), faults: () => [], fromHost: true }
}

/** A shape with a rule more: `fault` says what is wrong with a value that the shape takes, or null. */
export function checked<Row, In, Out>(
  shape: Shape<Row, In, Out>,
  fault: (value: In) => string | null,
): Shape<Row, In, Out> {
  return {
    ...shape,
    faults(value, at) {
      const faults = shape.faults(value, at)
      if (faults.length > 0) return faults
      const own = fault(value as In)
      if (own === null) return []
      const error = wrong(at, own)
      undescribed.add(error)
      return [error]
    },
  }
}

/** A value that one of several shapes takes, each of which stores and shows it as it is given; `means` says what is expected. */
export function either<const S extends readonly AnyShape[]>(
  means: string,
  ...shapes: S
): Shape<RowOf<S[number]>> {
  type Value = RowOf<S[number]>
  const same = (value: Value) => value
  const anyOf = (side: 'input' | 'answer') => ({ anyOf: shapes.map(({ json }) => json[side]) })
  return {
    faults: (value, at) =>
      shapes.some((shape) => shape.faults(value, at).length === 0)
        ? []
        : [wrong(at, `expected ${means}`)],
    take: same,
    show: same,
    fromJson: (value) => value,
    fromText: (given) => given,
    json: { input: anyOf('input'), answer: anyOf('answer') },
    optional: false,
    column: null,
  }
}

/** A shape that callers get in another form: `show` makes it of the row. `answer`: its schema, where that differs. */
export function shownBy<Row, In, Old, Out>(
  shape: Shape<Row, In, Old>,
  show: (row: Row) => Out,
  answer: JsonSchema = shape.json.answer,
): Shape<Row, In, Out> {
  return { ...shape, show, json: { input: shape.json.input, answer } }
}

/** A shape whose input is stored and shown in another form. `answer`: its schema, where that differs. */
export function takenBy<Old, Row, In, Out>(
  shape: Shape<Old, In, Out>,
  take: (row: Old) => Row,
  answer: JsonSchema = shape.json.answer,
): Shape<Row, In, Row> {
  return {
    ...shape,
    take: (input) => take(shape.take(input)),
    show: (row) => row,
    json: { input: shape.json.input, answer },
  }
}

/** A shape whose schema says more to the reader of an API than its name and bounds do. */
export function described<Row, In, Out>(
  shape: Shape<Row, In, Out>,
  description: string,
): Shape<Row, In, Out> {
  return { ...shape, json: { ...shape.json, input: { ...shape.json.input, description } } }
}

/** The schema of a value or null. */
export function nullable(schema: JsonSchema): JsonSchema {
  const { type, enum: values, const: value, title } = schema
  // One that has a name is written apart.
  if (type === undefined || value !== undefined || title !== undefined)
    return { anyOf: [schema, { type: 'null' }] }
  return {
    ...schema,
    type: [type, 'null'].flat(),
    ...(Array.isArray(values) && { enum: [...(values as readonly unknown[]), null] }),
  }
}
