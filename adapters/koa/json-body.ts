import type { Context } from 'koa'
import { meterOf } from './rate-limit.ts'
import { type Body, chunkLimit, readBody } from './read-body.ts'
import { type HostResult, refuse } from './refusal.ts'
import { scanJson } from './scan-json.ts'

/** Reads a JSON body: declared as such, bounded before it is buffered, well-formed UTF-8, unchanged by parsing, and harmless to copy. */
export async function readJson(ctx: Context, limit: number): Promise<HostResult<unknown>> {
  const type = ctx.request.type.toLowerCase()
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
  const body: Body =
    declared > limit ? { ok: false, why: 'too_large' } : await readBody(ctx.req, limit)
  if (body.ok) {
    meterOf(ctx)(body.bytes.length)
    return parseJson(body.bytes)
  }
  // The rest of the body is not read, so the connection can't be used again.
  ctx.set('Connection', 'close')
  switch (body.why) {
    case 'too_large':
      return refuse('body_too_large', `expected at most ${limit} bytes of body`)
    case 'too_many_chunks':
      return refuse('invalid_request', `expected a body of at most ${chunkLimit} chunks`)
    case 'broken_off':
      return refuse('invalid_request', 'the request broke off before its body ended')
  }
}

export function parseJson(raw: Uint8Array): HostResult<unknown> {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(raw)
  } catch {
    return refuse('invalid_request', 'expected JSON in UTF-8')
  }
  // Before parsing: it bounds what the parser and all behind it have to do.
  const fault = scanJson(text)
  if (fault) return refuse('invalid_request', fault.detail, { errors: [fault] })
  try {
    return { ok: true, value: JSON.parse(text) }
  } catch (error) {
    return refuse('invalid_request', `expected JSON in UTF-8: ${(error as Error).message}`)
  }
}
