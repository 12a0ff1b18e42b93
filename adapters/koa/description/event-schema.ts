import {
  type EventMembers,
  type EventShape,
  isList,
  membersOf,
  reasonGroups,
} from '@countersign/core/events'
import type { Json } from './json-schema.ts'

/** Says what a member means, by its path. */
export type Describe = (path: string) => string

/** The shape of a body as JSON Schema; objects are open, for new members may come at any time. */
export function objectSchemaOf(members: EventMembers, describe: Describe, path = ''): Json {
  const declared = membersOf(members)
  return {
    type: 'object',
    required: declared.map(([name]) => name),
    properties: Object.fromEntries(
      declared.map(([name, shape, nullable]) => {
        const place = `${path}${name}`
        const description = describe(place)
        return [
          name,
          {
            ...(description !== '' && { description }),
            ...nullableSchema(schemaOf(shape, describe, `${place}.`), nullable),
          },
        ]
      }),
    ),
  }
}

function nullableSchema(schema: Json, nullable: boolean): Json {
  if (!nullable || schema.type === undefined) return schema
  return { ...schema, type: [schema.type, 'null'] }
}

function schemaOf(shape: EventShape, describe: Describe, path: string): Json {
  if (isList(shape)) return oneOf(shape)
  if (typeof shape === 'object') return objectSchemaOf(shape, describe, path)
  switch (shape) {
    case 'text':
      return { type: 'string', minLength: 1 }
    case 'time':
      return {
        type: 'string',
        format: 'date-time',
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
      }
    case 'number':
      return { type: 'number' }
    case 'count':
      return { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER }
    case 'reason':
      // A reader takes a value that it does not know for `other`.
      return {
        type: 'string',
        minLength: 1,
        'x-extensible-enum': Object.values(reasonGroups).flat(),
      }
    case 'texts':
      return { type: 'array', items: { type: 'string', minLength: 1 } }
    case 'numbers':
      return { type: 'object', additionalProperties: { type: 'number' } }
    case 'object':
      return { type: 'object' }
    case 'json':
      return {}
  }
}

function oneOf(values: readonly (string | number | null)[]): Json {
  const types = [...new Set(values.map((value) => (value === null ? 'null' : typeof value)))]
  const [first] = values
  return {
    type: types.length === 1 ? types[0] : types,
    ...(values.length === 1 ? { const: first } : { enum: values }),
  }
}
