import { addressKey } from '@countersign/core/access'
import type { Context } from 'koa'
import type { BodyRoom, BodyShare } from './body-room.ts'
import { type Consumed, standardBody } from './media.ts'
import { meterOf } from './rate-limit.ts'
import { type Body, bodyMs, chunkLimit, type Encoding, readBody, wireLimit } from './read-body.ts'
import { type HostResult, refuse } from './refusal.ts'

/** A body's bytes: declared as of a type that the row reads, and bounded before they are buffered; null where there are none. */
export async function readBytes(
  ctx: Context,
  { types, limit, encodings = [] }: Pick<Consumed<unknown>, 'types' | 'limit' | 'encodings'>,
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
  const encoding = (ctx.get('content-encoding') || 'identity').toLowerCase()
  if (!isRead(encoding, encodings)) {
    // RFC 9110 15.5.16: it tells this 415 from one about the type.
    ctx.set('Accept-Encoding', encodings.join(', ') || 'identity')
    return refuse(
      'unsupported_media_type',
      `expected a body ${encodings.length > 0 ? `in ${encodings.join(' or ')} or ` : ''}without Content-Encoding`,
    )
  }
  // What a parser leaves is not what was sent: numbers beyond 2^53 and members named twice are gone from it.
  if (ctx.req.complete && ctx.req.readableDidRead)
    return refuse(
      'body_already_parsed',
      'the body was read before the API saw it: mount the API before any body parser, and where a host buffers bodies, hand it the request as it came',
    )
  const body: Body =
    declared > wireLimit(limit, encoding)
      ? { ok: false, why: 'too_large', read: 0 }
      : await readBody(ctx.req, limit, roomOf(ctx, limit), encoding)
  // Bytes of a body that broke off have been carried too.
  meterOf(ctx)(body.ok ? body.bytes.length : body.read)
  if (body.ok) return { ok: true, value: body.bytes }
  switch (body.why) {
    case 'too_large':
      return refuse(
        'body_too_large',
        `expected at most ${limit} bytes of body${encoding === 'identity' ? '' : ', inflated'}`,
      )
    case 'too_many_chunks':
      return refuse('invalid_request', `expected a body of at most ${chunkLimit} chunks`)
    case 'broken_off':
      return refuse('invalid_request', 'the request broke off before its body ended')
    case 'too_slow':
      return refuse('invalid_request', `expected a body that ends within ${bodyMs / 1000} s`)
    case 'bad_encoding':
      return refuse('invalid_request', `expected a body in ${encoding} that is whole`)
    case 'no_room':
      return refuse('busy', 'too many bodies of requests are unfinished', { retryAfter: 1 })
  }
}

function isRead(encoding: string, others: readonly Encoding[]): encoding is Encoding {
  return encoding === 'identity' || others.some((each) => each === encoding)
}

/** In the name of the organization, or of the address where nobody is known. */
function roomOf(ctx: Context, limit: number): BodyShare {
  const room: BodyRoom = ctx.state.bodies
  const owner: string | null = ctx.state.owner
  const share = room.open(owner ?? `address ${addressKey(ctx.ip)}`)
  if (limit <= standardBody) return share
  // What is made of a large body is about as large: it counts until the answer is sent.
  return {
    holds: share.holds,
    end: () => (ctx.res.closed ? share.end() : ctx.res.once('close', share.end)),
  }
}
