import { type Result, refuse } from '@countersign/core/ledger'
import type { Context } from 'koa'
import getRawBody from 'raw-body'

/** Management bodies above 1 MiB are refused (decisions 14). */
export const managementLimit = 1024 * 1024
const depthLimit = 64
const forbiddenKeys = new Set(['__proto__', 'constructor', 'prototype'])

/** Reads a JSON body: declared as such, bounded before it is buffered, well-formed UTF-8, and harmless to copy. */
export async function readJson(ctx: Context, limit = managementLimit): Promise<Result<unknown>> {
  const type = ctx.request.type
  const declared = Number(ctx.get('content-length') || 0)
  const chunked = ctx.get('transfer-encoding') !== ''
  if (declared === 0 && !chunked) return { ok: true, value: {} }
  if (type !== 'application/json') {
    return refuse(
      'unsupported_media_type',
      `expected Content-Type application/json, got ${type ? JSON.stringify(type) : 'none'}`,
    )
  }
  if (ctx.get('content-encoding') && ctx.get('content-encoding') !== 'identity') {
    return refuse('unsupported_media_type', 'expected a body without Content-Encoding')
  }
  let raw: Buffer
  try {
    raw = await getRawBody(ctx.req, { limit })
  } catch (error) {
    const { type: kind, message } = error as Error & { type?: string }
    // The rest of the body is not read, so the connection can't be used again.
    ctx.set('Connection', 'close')
    if (kind === 'entity.too.large') {
      return refuse('body_too_large', `expected at most ${limit} bytes of body`)
    }
    return refuse('invalid_request', `the body could not be read: ${message}`)
  }
  return parseJson(raw)
}

export function parseJson(raw: Uint8Array): Result<unknown> {
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(raw))
  } catch (error) {
    return refuse('invalid_request', `expected JSON in UTF-8: ${(error as Error).message}`)
  }
  const fault = findFault(value)
  return fault ? refuse('invalid_request', fault) : { ok: true, value }
}

/** Walks without recursion: 200,000 nested arrays parse, and would overflow the stack of a recursive check. */
function findFault(root: unknown): string | null {
  const open: { value: unknown; depth: number }[] = [{ value: root, depth: 0 }]
  for (let next = open.pop(); next; next = open.pop()) {
    const { value, depth } = next
    if (typeof value !== 'object' || value === null) continue
    if (depth >= depthLimit) return `expected at most ${depthLimit} levels of nesting`
    for (const key of Object.keys(value)) {
      if (forbiddenKeys.has(key)) return `the member name "${key}" is not accepted`
      open.push({ value: (value as Record<string, unknown>)[key], depth: depth + 1 })
    }
  }
  return null
}
