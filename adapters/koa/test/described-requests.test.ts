import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { type Route, routes } from '../index.ts'
import { isOnePart } from '../schemas.ts'
import { sampleKeyOf, samples } from './samples.ts'
import { newValidator, type Part, remedy, shippedOperation } from './shipped.ts'

type Holds = (value: unknown) => boolean

/** What a description says of an operation's body, which has no references; null where it has none. */
function bodySchemaOf(row: Route): Part | null {
  const { requestBody } = (shippedOperation(row) ?? {}) as {
    readonly requestBody?: {
      readonly content: Readonly<Record<string, { readonly schema: Part }>>
    }
  }
  return requestBody?.content['application/json']?.schema ?? null
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly schema: Part
}

function queryOf(row: Route): readonly Parameter[] {
  const { parameters = [] } = (shippedOperation(row) ?? {}) as {
    readonly parameters?: readonly Parameter[]
  }
  return parameters.filter((each) => each.in === 'query')
}

/** The bounds that a schema names, as values on both sides of each, and the values that it lists. */
function bordersOf(schema: unknown): readonly unknown[] {
  if (typeof schema !== 'object' || schema === null) return []
  return Object.entries(schema).flatMap(([key, value]) => {
    if (key === 'enum')
      return [...(value as unknown[]), ...(value as unknown[]).map((each) => `${each}s`)]
    if (key === 'const') return [value]
    if (typeof value !== 'number') return bordersOf(value)
    const around = [value - 1, value, value + 1].filter((each) => each >= 0)
    if (/Length$/.test(key)) return around.flatMap((each) => ['x'.repeat(each), '😀'.repeat(each)])
    if (/Items$/.test(key))
      return around.map((length) => new Array<string>(length).fill('review.*'))
    return around
  })
}

const nasty: readonly unknown[] = [
  ...[null, true, false, '', ' ', 'x', 0, -1, 1, 1.5, 2 ** 53, 1e300, [], [null], ['x'], {}],
  ...['true', '1', '01', '1.0', '1e1', 'null', 'ed25519', 'a'.repeat(64), 'A'.repeat(64)],
  ...['2026-03-01T09:00:00Z', '2026-03-01T09:00:00.5Z', '2026-03-01T09:00Z', '2026-03-01'],
  ...['2026-03-01T09:00:00+01:00', '2026-03-01t09:00:00z', '2026-02-29T09:00:00Z'],
  ...['2028-02-29T23:59:59.999999Z', '2026-03-01T24:00:00Z', '2026-13-01T09:00:00Z'],
]

type Path = readonly (string | number)[]

function pathsIn(value: unknown, at: Path = []): readonly Path[] {
  if (typeof value !== 'object' || value === null) return [at]
  const inner = Object.entries(value).flatMap(([name, each]) =>
    pathsIn(each, [...at, Array.isArray(value) ? Number(name) : name]),
  )
  return [at, ...inner]
}

/** A copy with another value at a path; `undefined` leaves the member out. */
function changed(value: unknown, [step, ...rest]: Path, other: unknown): unknown {
  if (step === undefined) return other
  if (Array.isArray(value))
    return value.map((each, index) => (index === step ? changed(each, rest, other) : each))
  const { [step]: inner, ...more } = value as Record<string, unknown>
  const next = changed(inner, rest, other)
  return next === undefined ? more : { ...more, [step]: next }
}

/** A right body with up to three faults, or none. */
function bodies(right: unknown, schema: Part): fc.Arbitrary<unknown> {
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

/** The parameters of a request as a client of the description would have them: integers are numbers. */
function typed(raw: Readonly<Record<string, string>>, parameters: readonly Parameter[]): object {
  return Object.fromEntries(
    Object.entries(raw).map(([name, text]) => {
      const isInteger = parameters.find((each) => each.name === name)?.schema.type === 'integer'
      return [name, isInteger && String(Number(text)) === text ? Number(text) : text]
    }),
  )
}

function queries(
  parameters: readonly Parameter[],
): fc.Arbitrary<Readonly<Record<string, string | undefined>>> {
  const record = Object.fromEntries(
    parameters.map(({ name, schema }) => {
      const values = [...nasty, ...bordersOf(schema)].filter(
        (each) => typeof each === 'string' || typeof each === 'number',
      )
      const right = values.map(String).filter((each) => newHolds(schema)(typedValue(schema, each)))
      return [
        name,
        fc.oneof(
          fc.constantFrom(...(right.length > 0 ? right : ['x'])),
          fc.constantFrom(...values.map(String)),
        ),
      ]
    }),
  )
  return fc.record(record, { requiredKeys: [] })
}

function typedValue(schema: Part, text: string): unknown {
  return schema.type === 'integer' && String(Number(text)) === text ? Number(text) : text
}

const ajv = newValidator()
const newHolds = (schema: Part): Holds => {
  const validate = ajv.compile(schema)
  return (value) => validate(value) === true
}

function queryHolds(parameters: readonly Parameter[]): Holds {
  return newHolds({
    type: 'object',
    properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
    required: parameters.filter(({ required }) => required).map(({ name }) => name),
  })
}

/** The first value of so many about which the description and the running check disagree. */
function disagreement<T>(
  arbitrary: fc.Arbitrary<T>,
  described: Holds,
  running: (value: T) => boolean,
  parameters: { readonly numRuns: number; readonly seed?: number },
): { readonly value: T } | null {
  const property = fc.property(arbitrary, (value) => described(value) === running(value))
  const { counterexample } = fc.check(property, parameters)
  return counterexample ? { value: counterexample[0] } : null
}

const ofBody = 250
const ofQuery = 120
let compared = 0

describe('what a description says of requests is what is checked', () => {
  for (const row of routes) {
    const sample = samples[sampleKeyOf(row)]
    // Those that it lacks are found by the test of the file.
    if (shippedOperation(row) === null) continue
    const checked = row.body.schema
    if (checked)
      test(`body of ${row.method} ${row.host} ${row.path}`, () => {
        const schema = bodySchemaOf(row)
        assert.ok(schema, remedy)
        const right = { ...sample?.body, ...sample?.optional }
        const running = (body: unknown) => checked.safeParse(body).success
        const found = disagreement(bodies(right, schema), newHolds(schema), running, {
          numRuns: ofBody,
        })
        assert.equal(JSON.stringify(found?.value), undefined, remedy)
        compared += ofBody
      })
    const parameters = queryOf(row)
    if (parameters.length > 0)
      test(`query of ${row.method} ${row.host} ${row.path}`, () => {
        const holds = queryHolds(parameters)
        // No schema of one parameter says what may not stand beside it: their descriptions do.
        const described = (raw: unknown) => {
          const query = raw as Readonly<Record<string, string>>
          return (
            holds(typed(query, parameters)) &&
            (!('after' in query || 'limit' in query) || isOnePart(query as object))
          )
        }
        const running = (raw: unknown) => row.query.safeParse(raw).success
        const found = disagreement(queries(parameters), described, running, { numRuns: ofQuery })
        assert.equal(JSON.stringify(found?.value), undefined, remedy)
        compared += ofQuery
      })
  }

  test('of 10,000 values and more', () => assert.ok(compared >= 10_000, `${compared}`))
})

describe('a description that says something else is found', () => {
  const row = routes.find(({ name }) => name === 'webhooks.create')
  const schema = row && bodySchemaOf(row)
  assert.ok(row && schema)
  const properties = schema.properties as Readonly<Record<string, Part>>
  const { url = {}, eventTypes = {}, signing = {}, description = {} } = properties
  const withProperty = (name: string, part: Part): Part => ({
    ...schema,
    properties: { ...properties, [name]: part },
  })
  const { items: _, ...anyItems } = eventTypes
  const mutants: Readonly<Record<string, Part>> = {
    'a longer text': withProperty('url', { ...url, maxLength: Number(url.maxLength) + 1 }),
    'a shorter text': withProperty('url', { ...url, maxLength: Number(url.maxLength) - 1 }),
    'an empty text': withProperty('url', { ...url, minLength: 0 }),
    'a longer list': withProperty('eventTypes', { ...eventTypes, maxItems: 101 }),
    'an empty list': withProperty('eventTypes', { ...eventTypes, minItems: 0 }),
    'items of any form': withProperty('eventTypes', anyItems),
    'no null': withProperty('description', { ...description, type: 'string' }),
    'an open object': { ...schema, additionalProperties: {} },
    'an open object within': withProperty('signing', { ...signing, additionalProperties: {} }),
    'a member that may be left out': { ...schema, required: ['url'] },
    'a member that may not be left out': { ...schema, required: ['url', 'eventTypes', 'secret'] },
  }
  const sample = samples[sampleKeyOf(row)]
  const right = { ...sample?.body, ...sample?.optional }
  // Drawn alike in every run: whether chance finds a mutant is no news.
  const ofMutant = { numRuns: 20_000, seed: 1 }
  for (const [name, mutant] of Object.entries(mutants))
    test(name, () => {
      const running = (body: unknown) => row.body.check(body).ok
      assert.notEqual(
        disagreement(bodies(right, schema), newHolds(mutant), running, ofMutant),
        null,
      )
    })
})
