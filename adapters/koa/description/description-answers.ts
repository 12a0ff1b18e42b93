import * as z from 'zod'

const info = z.looseObject({ title: z.string(), version: z.string() })
const byName = z.record(z.string(), z.unknown())

/** An OpenAPI document. */
export const openApiAnswer = z.looseObject({
  openapi: z.literal('3.1.1'),
  info,
  paths: byName,
})

/** An AsyncAPI document. */
export const asyncApiAnswer = z.looseObject({
  asyncapi: z.literal('3.0.0'),
  info,
  channels: byName,
})
