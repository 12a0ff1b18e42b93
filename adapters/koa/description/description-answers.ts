import { anything, just, openObject, recordOf, text } from '@countersign/core/kernel'

const any = text(Number.MAX_SAFE_INTEGER, 0)
const info = openObject({ title: any, version: any })
const byName = recordOf(any, anything, Number.MAX_SAFE_INTEGER)

/** An OpenAPI document. */
export const openApiShape = openObject({ openapi: just('3.1.1'), info, paths: byName }, 'OpenApi')

/** An AsyncAPI document. */
export const asyncApiShape = openObject(
  { asyncapi: just('3.0.0'), info, channels: byName },
  'AsyncApi',
)
