import {
  type AnyShape,
  faultsOf,
  isDescribed,
  type JsonSchema,
  type Members,
  schemaOf,
} from '@countersign/core/kernel'
import type { FieldError } from '@countersign/core/ledger'
import * as z from 'zod'

/** The JSON Schemas that descriptions write of a schema made here, as the shape declares them. */
const declared = new WeakMap<z.ZodType, JsonSchema>()

/** The JSON Schema that a shape declares; undefined for a schema that was written by hand. */
export function declaredJson(schema: z.ZodType): JsonSchema | undefined {
  return declared.get(schema)
}

/** Checks an answer in tests: no member more than the shape has. Made when it is first used. */
export function answerSchema(shape: AnyShape): z.ZodType {
  return declares(
    shape.json.answer,
    z.lazy(() =>
      z.fromJSONSchema(closed(shape.json.answer) as Parameters<typeof z.fromJSONSchema>[0]),
    ),
  )
}

/** A body that the core checks by itself, as it is described. */
export function bodySchema(shape: AnyShape): z.ZodType {
  const holds = (body: unknown) => !shape.faults(body, '').some(isDescribed)
  return declares(shape.json.input, z.unknown().refine(holds))
}

/** Checks input members as their schema says, and then what lies between them; its issues lead to the errors of a hand-written schema. */
export function inputSchema(
  members: Members,
  read: (given: unknown) => unknown,
  also: (input: object) => readonly FieldError[] = () => [],
): z.ZodType<Readonly<Record<string, unknown>>> {
  const checked = z.unknown().transform((given, context) => {
    const input = read(given)
    const own = faultsOf(members, input)
    const faults = own.length > 0 ? own.filter(isDescribed) : also(input as object)
    for (const { code, detail, pointer } of faults) {
      const path = pathOf(pointer ?? '')
      const keys = path.slice(-1)
      if (code === 'unknown_member')
        context.addIssue({ code: 'unrecognized_keys', keys, path: path.slice(0, -1) })
      else if (code === 'invalid_type')
        context.addIssue({ code, expected: 'object', path, message: detail })
      else context.addIssue({ code: 'custom', path, message: detail })
    }
    return input as Readonly<Record<string, unknown>>
  })
  return declares(schemaOf(members, 'input'), checked)
}

/** The parts of a JSON pointer (RFC 6901). */
function pathOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** A schema that descriptions write as this JSON Schema. */
export function declares<T extends z.ZodType>(json: JsonSchema, schema: T): T {
  declared.set(schema, json)
  return schema
}

function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed)
  if (typeof schema !== 'object' || schema === null) return schema
  const parts = Object.entries(schema).map(([keyword, part]) => [keyword, closed(part)] as const)
  return {
    ...Object.fromEntries(parts),
    ...('properties' in schema && { additionalProperties: false }),
  }
}
