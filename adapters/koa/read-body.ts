import type { IncomingMessage } from 'node:http'
import { createGunzip } from 'node:zlib'
import { type BodyShare, createBodyRoom } from './body-room.ts'

/** A body's bytes, or why there are none. */
export type Body =
  | { readonly ok: true; readonly bytes: Uint8Array }
  /** `read`: bytes that came until then. */
  | { readonly ok: false; readonly why: WhyNone; readonly read: number }

export type WhyNone =
  | 'too_large'
  | 'too_many_chunks'
  | 'broken_off'
  | 'no_room'
  | 'too_slow'
  | 'bad_encoding'

/** How a body's bytes are written on the wire (RFC 9110 8.4). */
export type Encoding = 'identity' | 'gzip'

/** Each chunk costs some microseconds, whatever its size: a mebibyte of one-byte chunks would take seconds. */
export const chunkLimit = 16 * 1024
/** What gzip may add to bytes that can't be packed. */
const packedMore = 64 * 1024
/** Bytes that are inflated at a time. */
const inflatedAtOnce = 64 * 1024
/** Bytes that the first buffer holds; small bodies need no second. */
const firstCapacity = 4096
/** Milliseconds in which a body must be whole, from when it is first read. */
export const bodyMs = 20_000

/** Bytes that a body takes on the wire at most. */
export function wireLimit(limit: number, encoding: Encoding): number {
  return encoding === 'identity' ? limit : limit + packedMore
}

/**
 * Reads a body into one buffer that grows by doubling up to `limit` bytes, which count as they are after decoding.
 * Chunks are copied and let go: a body sent in one-byte chunks holds what any other holds. The rest of a larger body,
 * or of one without room, stays unread; one in gzip is inflated no further.
 */
export function readBody(
  request: IncomingMessage,
  limit: number,
  share: BodyShare = createBodyRoom().open(''),
  encoding: Encoding = 'identity',
): Promise<Body> {
  const whole = encoding === 'identity' ? wholeBody(request, limit) : null
  if (whole) return Promise.resolve(whole)
  return new Promise((resolve) => {
    let held: Buffer = Buffer.alloc(0)
    let length = 0
    let read = 0
    let chunks = 0

    let packed = 0

    /** Of a body in gzip, whose chunks may inflate to nothing. */
    function count(chunk: Buffer): void {
      packed += chunk.length
      chunks++
      const tooLarge = packed > wireLimit(limit, encoding)
      if (tooLarge || chunks > chunkLimit) giveUp(tooLarge ? 'too_large' : 'too_many_chunks')
    }
    function take(chunk: Buffer): void {
      const end = length + chunk.length
      read = end
      if (!gunzip) chunks++
      if (end > limit || chunks > chunkLimit) {
        giveUp(end > limit ? 'too_large' : 'too_many_chunks')
        return
      }
      if (end > held.length) {
        const capacity = capacityFor(end, held.length, limit)
        if (!share.holds(capacity)) {
          giveUp('no_room')
          return
        }
        held = grown(held.subarray(0, length), capacity)
      }
      chunk.copy(held, length)
      length = end
    }
    function finish(body: Body): void {
      source.off('data', take)
      if (gunzip) {
        request.off('data', count).unpipe(gunzip)
        gunzip.destroy()
      }
      request.pause()
      clearTimeout(tooSlow)
      share.end()
      held = Buffer.alloc(0)
      resolve(body)
    }
    const giveUp = (why: WhyNone) => finish({ ok: false, why, read })
    const tooSlow = setTimeout(() => giveUp('too_slow'), bodyMs)
    const breakOff = () => giveUp('broken_off')
    const gunzip = encoding === 'gzip' ? createGunzip({ chunkSize: inflatedAtOnce }) : null
    const source = gunzip ?? request
    // It may have broken off while its sender was looked up; then no event tells any more.
    if (!request.readable) return breakOff()
    source.on('data', take)
    source.once('end', () => finish({ ok: true, bytes: held.subarray(0, length) }))
    request.once('error', breakOff)
    // A request that has ended closes, perhaps before all of it is inflated.
    request.once('close', () => (request.readableEnded && gunzip ? null : breakOff()))
    if (gunzip) {
      gunzip.on('error', () => giveUp('bad_encoding'))
      request.on('data', count).pipe(gunzip)
    }
  })
}

/** A small body that has come while its sender was looked up, as most do; null for any other. */
function wholeBody(request: IncomingMessage, limit: number): Body | null {
  const { complete, readable, readableLength } = request
  // So many bytes came in no more chunks than may be.
  if (!complete || !readable || readableLength > Math.min(limit, chunkLimit)) return null
  const bytes: Buffer | null = request.read()
  return bytes ? { ok: true, bytes } : null
}

function capacityFor(needed: number, held: number, limit: number): number {
  let capacity = Math.max(firstCapacity, held)
  while (capacity < needed) capacity *= 2
  return Math.min(capacity, limit)
}

function grown(bytes: Buffer, capacity: number): Buffer {
  // Not from the shared pool, which a small slice would keep alive whole.
  const buffer = Buffer.allocUnsafeSlow(capacity)
  bytes.copy(buffer)
  return buffer
}
