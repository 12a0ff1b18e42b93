import type { JsonSchema } from '@countersign/core/kernel'

/** A schema, or a part of a description, as JSON. */
export type Json = { [member: string]: unknown }

/** Collects the named schemas of a document. */
export interface SchemaWriter {
  /** A shape's schema, with a reference in place of each object that has a title. */
  write(schema: JsonSchema): Json
  /** The schemas that were referred to, by name. */
  components(): Json
}

export function createSchemaWriter(): SchemaWriter {
  const used = new Map<string, Json>()

  function hoisted(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(hoisted)
    if (typeof value !== 'object' || value === null) return value
    const { title, ...rest } = value as Json
    // Among `properties` it is a member of that name.
    const own = typeof title === 'string' ? rest : value
    const written = Object.fromEntries(
      Object.entries(own).map(([key, each]) => [key, hoisted(each)]),
    )
    if (typeof title !== 'string') return written
    const known = used.get(title)
    if (known && JSON.stringify(known) !== JSON.stringify(written))
      throw new Error(`two shapes are called ${title}: rename one of them`)
    used.set(title, written)
    return referenceTo(title)
  }

  return {
    write: (schema) => hoisted(schema) as Json,
    components: () => Object.fromEntries([...used].toSorted(([a], [b]) => (a < b ? -1 : 1))),
  }
}

/** A reference to a named schema of an OpenAPI document. */
export function referenceTo(name: string): Json {
  return { $ref: `#/components/schemas/${name}` }
}
