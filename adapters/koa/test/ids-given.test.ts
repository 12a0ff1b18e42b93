import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Route, routes } from '../index.ts'
import { bodySchemaOf, changed } from './described-bodies.ts'
import { entitled, keyOf, pathOf, type Sample, sampleOf } from './requests.ts'
import { type Part, shippedOperation } from './shipped.ts'
import { openWorld, type World } from './world.ts'

type Path = readonly (string | number)[]

const isId = (name: string) => /(?:^id|Ids?)$|^(?:assignee|requestedBy)$/.test(name)

/** Paths of the ids that a body's schema names, where the body has room for them: a member of an object that is there. */
function idsIn(schema: Part, body: unknown, at: Path = []): readonly Path[] {
  if (typeof body !== 'object' || body === null) return []
  if (Array.isArray(body))
    return body.length > 0 ? idsIn(schema.items as Part, body[0], [...at, 0]) : []
  const properties = (schema.properties ?? {}) as Readonly<Record<string, Part>>
  return Object.entries(properties).flatMap(([name, property]) => {
    const value = (body as Readonly<Record<string, unknown>>)[name]
    const path = [...at, name]
    if (!isId(name)) return idsIn(property, value, path)
    return [property.type === 'array' ? [...path, 0] : path]
  })
}

/** A query's parameters that are texts of no listed values. */
function textsOf(row: Route): readonly string[] {
  const { parameters = [] } = (shippedOperation(row) ?? {}) as {
    readonly parameters?: readonly {
      readonly name: string
      readonly in: string
      readonly schema: Part
    }[]
  }
  return parameters
    .filter(({ in: place, schema }) => place === 'query' && schema.type === 'string')
    .filter(({ schema }) => !('enum' in schema || 'const' in schema || 'format' in schema))
    .map(({ name }) => name)
}

const odd = ['a\0b', 'a\nb', 'a\u009fb']

describe('ids and other texts of a line that hold control characters are refused where they stand', () => {
  let world: World
  let checked = 0
  before(async () => {
    world = await openWorld()
  })
  after(() => world.close())

  async function refused(row: Route, sample: Sample, query: string, body: unknown, at: string) {
    const { host, method } = row
    const path = pathOf(row, sample, query)
    const answer = await world.call({
      host,
      method,
      path,
      as: entitled(sample, world),
      body: body as object,
    })
    assert.equal(answer.status, 400, `${keyOf(row)} ${at}: ${answer.status} ${answer.text}`)
    const [fault] = answer.json.errors as readonly {
      readonly pointer: string
      readonly parameter: string
    }[]
    assert.ok(
      fault && [fault.pointer, fault.parameter].includes(at),
      `${keyOf(row)} ${at}: ${answer.text}`,
    )
    checked++
  }

  for (const row of routes) {
    const texts = textsOf(row)
    const schema = bodySchemaOf(row)
    if (texts.length === 0 && schema === null) continue
    test(keyOf(row), async () => {
      const { query, ...sample } = await sampleOf(row, world)
      const whole = { ...sample.body, ...sample.optional }
      for (const text of odd) {
        for (const name of texts) {
          const given = new URLSearchParams(query)
          given.set(name, text)
          await refused(row, sample, given.toString(), schema ? whole : undefined, name)
        }
        for (const path of schema ? idsIn(schema, whole) : []) {
          const body = changed(whole, path, text) as object
          const filled = path.length === 1 ? { ...body, [path[0] as string]: text } : body
          await refused(row, sample, query ?? '', filled, `/${path.join('/')}`)
        }
      }
      assert.deepEqual(world.incidents, [])
    })
  }

  test('of a hundred and more', () => assert.ok(checked >= 100, `${checked}`))
})
