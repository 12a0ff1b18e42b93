import type { IncomingMessage } from 'node:http'

/** A body's bytes, or why there are none. */
export type Body =
  | { readonly ok: true; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly why: 'too_large' | 'too_many_chunks' | 'broken_off' }

/** Each chunk costs some microseconds, whatever its size: a mebibyte of one-byte chunks would take seconds. */
export const chunkLimit = 16 * 1024
/** Bytes that the first buffer holds; small bodies need no second. */
const firstCapacity = 4096

/**
 * Reads a body into one buffer that grows by doubling up to `limit` bytes. Chunks are copied and let go: a body sent
 * in one-byte chunks holds what any other holds. The rest of a larger body stays unread.
 */
export function readBody(request: IncomingMessage, limit: number): Promise<Body> {
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
      if (end > held.length) held = grown(held.subarray(0, length), end, limit)
      chunk.copy(held, length)
      length = end
    }
    function finish(body: Body): void {
      request.off('data', take).pause()
      held = Buffer.alloc(0)
      resolve(body)
    }
    const breakOff = () => finish({ ok: false, why: 'broken_off' })
    // It may have broken off while its sender was looked up; then no event tells any more.
    if (!request.readable) return breakOff()
    request.on('data', take)
    request.once('end', () => finish({ ok: true, bytes: held.subarray(0, length) }))
    request.once('error', breakOff)
    request.once('close', breakOff)
  })
}

function grown(bytes: Buffer, needed: number, limit: number): Buffer {
  let capacity = Math.max(firstCapacity, bytes.length)
  while (capacity < needed) capacity *= 2
  // Not from the shared pool, which a small slice would keep alive whole.
  const buffer = Buffer.allocUnsafeSlow(Math.min(capacity, limit))
  bytes.copy(buffer)
  return buffer
}
