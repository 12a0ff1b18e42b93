import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { faultsOfPart } from '@countersign/core/kernel'
import fc from 'fast-check'
import { type Route, routes } from '../index.ts'
import {
  bodies,
  bodySchemaOf,
  bordersOf,
  changed,
  nasty,
  pathsIn,
  textless,
} from './described-bodies.ts'
import { sampleKeyOf, samples } from './samples.ts'
import { newValidator, type Part, remedy, shippedOperation } from './shipped.ts'

type Holds = (value: unknown) => boolean

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

/** The parameters of a request as a client of the description would have them: integers are numbers, flags booleans. */
function typed(raw: Readonly<Record<string, string>>, parameters: readonly Parameter[]): object {
  return Object.fromEntries(
    Object.entries(raw).map(([name, text]) => {
      const parameter = parameters.find((each) => each.name === name)
      return [name, parameter ? typedValue(parameter.schema, text) : text]
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
  if (schema.type === 'boolean' && ['true', 'false'].includes(text)) return text === 'true'
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
    const checked = row.body.input
    if (checked)
      test(`body of ${row.method} ${row.host} ${row.path}`, () => {
        const schema = bodySchemaOf(row)
        assert.ok(schema, remedy)
        const right = { ...sample?.body, ...sample?.optional }
        const running = (body: unknown) => checked.read(body).ok
        const found = disagreement(bodies(right, schema), newHolds(schema), running, {
          numRuns: ofBody,
        })
        assert.equal(JSON.stringify(found?.value), undefined, remedy)
        compared += ofBody
        const holds = newHolds(schema)
        for (const path of pathsIn(right))
          for (const value of textless) {
            const body = changed(right, path, value)
            assert.equal(running(body), holds(body), JSON.stringify(body))
          }
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
            (!('after' in query || 'limit' in query) || faultsOfPart(query as object).length === 0)
          )
        }
        const running = (raw: unknown) => row.query.read(raw).ok
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
