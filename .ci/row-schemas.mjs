// The JSON schemas of what the rows of the route table take and answer.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import * as z from 'zod'
import { home } from './packages.mjs'

const { declaredJson } = await import(
  pathToFileURL(join(home, 'adapters/koa/dist/bind/schema.js')).href
)

export function schemaOf(schema, io) {
  if (schema === null) return null
  return declaredJson(schema) ?? z.toJSONSchema(schema, { io, unrepresentable: 'any' })
}
