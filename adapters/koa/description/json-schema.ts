import * as z from 'zod'
import { declaredJson } from '../bind/schema.ts'
import { binary, fileBytes } from '../download.ts'

/** A schema, or a part of a description, as JSON. */
export type Json = { [member: string]: unknown }

/** What a request holds is closed, what an answer holds is open: new members may come at any time. */
type Direction = 'input' | 'output'

/** Turns zod's schemas into JSON Schema 2020-12. */
export interface SchemaWriter {
  /** Of what a caller sends. */
  request(schema: z.ZodType): Json
  /** Of what a caller is sent; those of `named` become references. */
  answer(schema: z.ZodType): Json
  /** The named schemas that were referred to, by name. */
  components(): Json
}

/** `named`: schemas of answers by the names under which a document holds them. */
export function createSchemaWriter(named: ReadonlyMap<string, z.ZodType>): SchemaWriter {
  const registry = z.registry<{ id: string }>()
  for (const [id, schema] of named) registry.add(schema, { id })
  const used = new Map<string, Json>()

  /** Of a shape's schema, which is written as it is, but for the objects that have a title. */
  function hoisted(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(hoisted)
    if (typeof value !== 'object' || value === null) return value
    const { title, ...rest } = value as Json
    const written = Object.fromEntries(
      Object.entries(rest).map(([key, each]) => [key, hoisted(each)]),
    )
    if (typeof title !== 'string') return written
    used.set(title, written)
    return referenceTo(title)
  }

  function write(schema: z.ZodType, io: Direction): Json {
    const shaped = declaredJson(schema)
    if (shaped) return hoisted(shaped) as Json
    const {
      $schema: _,
      $defs,
      ...written
    } = z.toJSONSchema(schema, {
      io,
      // What a schema says of itself holds for the text that is sent, not for the number that is made of it.
      metadata: io === 'output' ? registry : z.globalRegistry,
      unrepresentable: 'any',
      override: ({ zodSchema, jsonSchema }) => {
        const inner = declaredJson(zodSchema as unknown as z.ZodType)
        if (!inner) return amend(zodSchema, jsonSchema as Json, io)
        for (const keyword of Object.keys(jsonSchema)) delete (jsonSchema as Json)[keyword]
        Object.assign(jsonSchema, hoisted(inner))
      },
    }) as Json & { $defs?: Record<string, Json> }
    for (const [name, definition] of Object.entries($defs ?? {}))
      used.set(name, located(withoutId(definition)) as Json)
    const id = io === 'output' ? registry.get(schema)?.id : undefined
    if (id === undefined || '$ref' in written) return located(written) as Json
    used.set(id, located(withoutId(written)) as Json)
    return referenceTo(id)
  }

  return {
    request: (schema) => write(schema, 'input'),
    answer: (schema) => write(schema, 'output'),
    components: () => Object.fromEntries([...used].toSorted(([a], [b]) => (a < b ? -1 : 1))),
  }
}

/** A reference to a named schema of an OpenAPI document. */
export function referenceTo(name: string): Json {
  return { $ref: `#/components/schemas/${name}` }
}

function withoutId({ id: _, ...schema }: Json): Json {
  return schema
}

/** With references to where a document has its schemas. */
function located(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(located)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      key,
      key === '$ref' && typeof each === 'string'
        ? each.replace('#/$defs/', '#/components/schemas/')
        : located(each),
    ]),
  )
}

/** What the conversion writes at too great a length, or loses. */
function amend(schema: z.core.$ZodTypes, json: Json, io: Direction): void {
  const { def } = schema._zod
  if ((schema as unknown) === fileBytes) Object.assign(json, binary)
  if (io === 'output' && json.additionalProperties === false) delete json.additionalProperties
  // Every name is a string.
  if (def.type === 'record') delete json.propertyNames
  if (json.format === 'date-time') json.pattern = timePattern(def)
  if (def.type === 'pipe' && def.out._zod.def.type !== 'transform' && io === 'input')
    mergeStage(json, z.toJSONSchema(def.out, stageOptions) as Json)
  if (json.type === 'integer' && typeof json.pattern === 'string') delete json.pattern
  if (Array.isArray(json.anyOf)) mergeNull(json, json.anyOf)
}

const stageOptions: Parameters<typeof z.toJSONSchema>[1] = {
  io: 'input',
  override: ({ zodSchema, jsonSchema }) => amend(zodSchema, jsonSchema as Json, 'input'),
}

/** UTC alone, unless the schema says otherwise; whether there is such a day is what the format says. */
function timePattern(def: z.core.$ZodTypes['_zod']['def']): string {
  const precision = 'precision' in def && typeof def.precision === 'number' ? def.precision : null
  const fraction = precision === null ? '(\\.\\d+)?' : `\\.\\d{${precision}}`
  const zone = 'offset' in def && def.offset ? '(Z|[+-]\\d\\d:\\d\\d)' : 'Z'
  return `^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:[0-5]\\d${fraction}${zone}$`
}

/** A value that passes a pipe holds what each of its stages asks for. */
function mergeStage(json: Json, { $schema: _, ...next }: Json): void {
  for (const [key, value] of Object.entries(next)) {
    const isEmpty = JSON.stringify(json[key]) === '{}'
    if (json[key] === undefined || isEmpty) json[key] = value
    else if (JSON.stringify(json[key]) !== JSON.stringify(value))
      throw new Error(`two stages of a pipe differ in '${key}': say in one what both ask for`)
  }
}

/** `string or null` as one type instead of two schemas. */
function mergeNull(json: Json, [first, second, more]: readonly Json[]): void {
  if (more || !first || second?.type !== 'null' || typeof first.type !== 'string') return
  if ('const' in first || Object.keys(second).length > 1) return
  delete json.anyOf
  Object.assign(json, first, { type: [first.type, 'null'] })
  if (Array.isArray(first.enum)) json.enum = [...first.enum, null]
}
