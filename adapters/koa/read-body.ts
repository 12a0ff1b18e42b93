import type { IncomingMessage } from 'node:http'
import { type BodyShare, createBodyRoom } from './body-room.ts'

/** A body's bytes, or why there are none. */
export type Body =
  | { readonly ok: true; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly why: WhyNone }

export type WhyNone = 'too_large' | 'too_many_chunks' | 'broken_off' | 'no_room' | 'too_slow'

/** Each chunk costs some microseconds, whatever its size: a mebibyte of one-byte chunks would take seconds. */
export const chunkLimit = 16 * 1024
/** Bytes that the first buffer holds; small bodies need no second. */
const firstCapacity = 4096
/** Milliseconds in which a body must be whole, from when it is first read. */
export const bodyMs = 20_000

/**
 * Reads a body into one buffer that grows by doubling up to `limit` bytes. Chunks are copied and let go: a body sent
 * in one-byte chunks holds what any other holds. The rest of a larger body, or of one without room, stays unread.
 */
export function readBody(
  request: IncomingMessage,
  limit: number,
  share: BodyShare = createBodyRoom().open(''),
): Promise<Body> {
  return new Promise((resolve) => {
    let held: Buffer = Buffer.alloc(0)
    let length = 0
    let chunks = 0

    function take(chunk: Buffer): void {
      const end = length + chunk.length
      chunks++
      if (end > limit || chunks > chunkLimit) {
        finish({ ok: false, why: end > limit ? 'too_large' : 'too_many_chunks' })
        return
      }
      if (end > held.length) {
        const capacity = capacityFor(end, held.length, limit)
        if (!share.holds(capacity)) {
          finish({ ok: false, why: 'no_room' })
          return
        }
        held = grown(held.subarray(0, length), capacity)
      }
      chunk.copy(held, length)
      length = end
    }
    function finish(body: Body): void {
      request.off('data', take).pause()
      clearTimeout(tooSlow)
      share.end()
      held = Buffer.alloc(0)
      resolve(body)
    }
    const tooSlow = setTimeout(() => finish({ ok: false, why: 'too_slow' }), bodyMs)
    const breakOff = () => finish({ ok: false, why: 'broken_off' })
    // It may have broken off while its sender was looked up; then no event tells any more.
    if (!request.readable) return breakOff()
    request.on('data', take)
    request.once('end', () => finish({ ok: true, bytes: held.subarray(0, length) }))
    request.once('error', breakOff)
    request.once('close', breakOff)
  })
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
