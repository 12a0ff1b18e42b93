import { addressKey } from '@countersign/core/access'
import type { Context } from 'koa'
import type { BodyRoom, BodyShare } from './body-room.ts'
import type { Consumed } from './media.ts'
import { meterOf } from './rate-limit.ts'
import { type Body, bodyMs, chunkLimit, readBody } from './read-body.ts'
import { type HostResult, refuse } from './refusal.ts'

/** A body's bytes: declared as of a type that the row reads, and bounded before they are buffered; null where there are none. */
export async function readBytes(
  ctx: Context,
  { types, limit }: Pick<Consumed<unknown>, 'types' | 'limit'>,
): Promise<HostResult<Uint8Array | null>> {
  const declared = Number(ctx.get('content-length') || 0)
  const chunked = ctx.get('transfer-encoding') !== ''
  if (types.length === 0 || (declared === 0 && !chunked)) return { ok: true, value: null }
  const { charset } = ctx.request
  const type = ctx.request.type.toLowerCase()
  if (!types.includes(type) || !/^(utf-?8)?$/i.test(charset)) {
    const came = JSON.stringify(ctx.get('content-type'))
    return refuse(
      'unsupported_media_type',
      `expected Content-Type ${types.join(' or ')} in UTF-8, got ${type ? came : 'none'}`,
    )
  }
  if (ctx.get('content-encoding') && ctx.get('content-encoding') !== 'identity')
    return refuse('unsupported_media_type', 'expected a body without Content-Encoding')
  const body: Body =
    declared > limit ? { ok: false, why: 'too_large' } : await readBody(ctx.req, limit, roomOf(ctx))
  if (body.ok) {
    meterOf(ctx)(body.bytes.length)
    return { ok: true, value: body.bytes }
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
    case 'too_slow':
      return refuse('invalid_request', `expected a body that ends within ${bodyMs / 1000} s`)
    case 'no_room':
      return refuse('busy', 'too many bodies of requests are unfinished', { retryAfter: 1 })
  }
}

/** In the name of the organization, or of the address where nobody is known. */
function roomOf(ctx: Context): BodyShare {
  const room: BodyRoom = ctx.state.bodies
  const owner: string | null = ctx.state.owner
  return room.open(owner ?? `address ${addressKey(ctx.ip)}`)
}
