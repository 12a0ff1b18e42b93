import fc from 'fast-check'
import type { Route } from '../index.ts'
import { type Part, shippedOperation } from './shipped.ts'

/** What a description says of an operation's body, which has no references; null where it has none. */
export function bodySchemaOf(row: Route): Part | null {
  const { requestBody } = (shippedOperation(row) ?? {}) as {
    readonly requestBody?: {
      readonly content: Readonly<Record<string, { readonly schema: Part }>>
    }
  }
  return requestBody?.content['application/json']?.schema ?? null
}

/** The bounds that a schema names, as values on both sides of each, and the values that it lists. */
export function bordersOf(schema: unknown): readonly unknown[] {
  if (typeof schema !== 'object' || schema === null) return []
  return Object.entries(schema).flatMap(([key, value]) => {
    if (key === 'enum')
      return [...(value as unknown[]), ...(value as unknown[]).map((each) => `${each}s`)]
    if (key === 'const') return [value]
    if (typeof value !== 'number') return bordersOf(value)
    const around = [value - 1, value, value + 1].filter((each) => each >= 0)
    if (/Length$/.test(key)) return around.flatMap((each) => ['x'.repeat(each), '😀'.repeat(each)])
    if (/Items$/.test(key)) {
      const { enum: named = ['review.*'] } = ((schema as Part).items ?? {}) as Part
      const [one] = named as readonly unknown[]
      return around.map((length) => new Array<unknown>(length).fill(one))
    }
    return around
  })
}

export const nasty: readonly unknown[] = [
  ...[null, true, false, '', ' ', 'x', 0, -1, 1, 1.5, 2 ** 53, 1e300, [], [null], ['x'], {}],
  ...['true', '1', '01', '1.0', '1e1', 'null', 'ed25519', 'a'.repeat(64), 'A'.repeat(64)],
  ...['2026-03-01T09:00:00Z', '2026-03-01T09:00:00.5Z', '2026-03-01T09:00Z', '2026-03-01'],
  ...['2026-03-01T09:00:00+01:00', '2026-03-01t09:00:00z', '2026-02-29T09:00:00Z'],
  ...['2028-02-29T23:59:59.999999Z', '2026-03-01T24:00:00Z', '2026-13-01T09:00:00Z'],
]

/** Objects that JSON can say and that have no text: to turn one into a text throws. */
export const textless: readonly unknown[] = [
  '{"toString":null}',
  '{"toString":1,"valueOf":2}',
  '{"__proto__":null,"toString":"x"}',
  '[{"toString":null}]',
  '{"toJSON":1,"constructor":null,"then":null,"length":-1}',
].map((json): unknown => JSON.parse(json))

type Path = readonly (string | number)[]

export function pathsIn(value: unknown, at: Path = []): readonly Path[] {
  if (typeof value !== 'object' || value === null) return [at]
  const inner = Object.entries(value).flatMap(([name, each]) =>
    pathsIn(each, [...at, Array.isArray(value) ? Number(name) : name]),
  )
  return [at, ...inner]
}

/** A copy with another value at a path; `undefined` leaves the member out. */
export function changed(value: unknown, [step, ...rest]: Path, other: unknown): unknown {
  if (step === undefined) return other
  if (Array.isArray(value))
    return value.map((each, index) => (index === step ? changed(each, rest, other) : each))
  const { [step]: inner, ...more } = value as Record<string, unknown>
  const next = changed(inner, rest, other)
  return next === undefined ? more : { ...more, [step]: next }
}

/** A right body with up to three faults, or none. */
export function bodies(right: unknown, schema: Part): fc.Arbitrary<unknown> {
  const values = [...nasty, ...bordersOf(schema)]
  const other = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...values, undefined) },
    { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
  )
  const names = Object.keys((schema.properties as object | undefined) ?? {})
  const fault = fc.oneof(
    fc.tuple(fc.constantFrom(...pathsIn(right)), other),
    fc.tuple(
      fc.constantFrom(...names, 'surprise').map((name): Path => [name]),
      other,
    ),
  )
  return fc.array(fault, { maxLength: 3 }).map((faults) =>
    faults.reduce((body, [path, value]) => {
      const isThere = pathsIn(body).some((each) => String(each) === String(path))
      const isMember =
        path.length === 1 && typeof body === 'object' && body !== null && !Array.isArray(body)
      // JSON has no undefined but a member that is left out.
      return (isThere || isMember) && (path.length > 0 || value !== undefined)
        ? changed(body, path, value)
        : body
    }, right),
  )
}
