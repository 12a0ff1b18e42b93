import { type FieldError, type Result, refuse } from '@countersign/core/ledger'
import type { Context } from 'koa'
import { pointerOf } from './pointer.ts'
import { readBody } from './read-body.ts'

/** Management bodies above 1 MiB are refused. */
export const managementLimit = 1024 * 1024
/** Levels of objects and arrays. */
const depthLimit = 64
const forbiddenKeys = new Set(['__proto__', 'constructor', 'prototype'])
/** Has no UTF-8, so that it could be neither stored nor signed. */
const halfPair = /\p{Cs}/u
const halfPairDetail = 'expected text without half surrogate pairs'

/** Reads a JSON body: declared as such, bounded before it is buffered, well-formed UTF-8, and harmless to copy. */
export async function readJson(ctx: Context, limit = managementLimit): Promise<Result<unknown>> {
  const type = ctx.request.type
  const declared = Number(ctx.get('content-length') || 0)
  const chunked = ctx.get('transfer-encoding') !== ''
  if (declared === 0 && !chunked) return { ok: true, value: {} }
  const { charset } = ctx.request
  if (type !== 'application/json' || !/^(utf-?8)?$/i.test(charset)) {
    const came = JSON.stringify(ctx.get('content-type'))
    return refuse(
      'unsupported_media_type',
      `expected Content-Type application/json in UTF-8, got ${type ? came : 'none'}`,
    )
  }
  if (ctx.get('content-encoding') && ctx.get('content-encoding') !== 'identity') {
    return refuse('unsupported_media_type', 'expected a body without Content-Encoding')
  }
  const body = await readBody(ctx.req, limit)
  if (body.ok) return parseJson(body.bytes)
  // The rest of the body is not read, so the connection can't be used again.
  ctx.set('Connection', 'close')
  return body.why === 'too_large'
    ? refuse('body_too_large', `expected at most ${limit} bytes of body`)
    : refuse('invalid_request', 'the request broke off before its body ended')
}

export function parseJson(raw: Uint8Array): Result<unknown> {
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(raw))
  } catch (error) {
    return refuse('invalid_request', `expected JSON in UTF-8: ${(error as Error).message}`)
  }
  const fault = findFault(value)
  return fault ? refuse('invalid_request', fault.detail, { errors: [fault] }) : { ok: true, value }
}

/** An object or array of the document, and how it was reached. */
interface Place {
  readonly value: object
  readonly depth: number
  readonly key: PropertyKey
  readonly parent: Place | null
}

/** Walks without recursion: 200,000 nested arrays parse, and would overflow the stack of a recursive check. */
function findFault(root: unknown): FieldError | null {
  const open: Place[] = []
  const enter = (value: unknown, key: PropertyKey, parent: Place | null): FieldError | null => {
    if (typeof value === 'string' && halfPair.test(value))
      return faultAt(parent, key, halfPairDetail)
    if (typeof value !== 'object' || value === null) return null
    const depth = parent ? parent.depth + 1 : 1
    if (depth > depthLimit)
      return faultAt(parent, key, `expected at most ${depthLimit} levels of nesting`)
    open.push({ value, depth, key, parent })
    return null
  }
  let fault = enter(root, '', null)
  for (let at = open.pop(); at && !fault; at = open.pop()) fault = enterMembers(at, enter)
  return fault
}

function enterMembers(
  place: Place,
  enter: (value: unknown, key: PropertyKey, parent: Place) => FieldError | null,
): FieldError | null {
  const { value } = place
  // A million items take a tenth of what they would as entries.
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at++) {
      const fault = enter(value[at], at, place)
      if (fault) return fault
    }
    return null
  }
  for (const key of Object.keys(value)) {
    if (forbiddenKeys.has(key)) return faultAt(place, key, 'a member may not have this name')
    if (halfPair.test(key)) return faultAt(place.parent, place.key, halfPairDetail)
    const fault = enter((value as Record<string, unknown>)[key], key, place)
    if (fault) return fault
  }
  return null
}

function faultAt(parent: Place | null, key: PropertyKey, detail: string): FieldError {
  const path: PropertyKey[] = parent ? [key] : []
  for (let at = parent; at?.parent; at = at.parent) path.unshift(at.key)
  return { code: 'invalid_value', detail, pointer: pointerOf(path), parameter: null }
}
