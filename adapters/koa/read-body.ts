import type { IncomingMessage } from 'node:http'

/** A body's bytes, or why there are none. */
export type Body =
  | { readonly ok: true; readonly bytes: Buffer }
  | { readonly ok: false; readonly why: 'too_large' | 'broken_off' }

/** Reads a body into memory, at most `limit` bytes of it; the rest of a larger one stays unread. */
export function readBody(request: IncomingMessage, limit: number): Promise<Body> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let length = 0
    function take(chunk: Buffer): void {
      chunks.push(chunk)
      length += chunk.length
      if (length <= limit) return
      request.off('data', take).pause()
      resolve({ ok: false, why: 'too_large' })
    }
    const breakOff = () => resolve({ ok: false, why: 'broken_off' })
    // It may have broken off while its sender was looked up; then no event tells any more.
    if (!request.readable) return breakOff()
    request.on('data', take)
    request.once('end', () => resolve({ ok: true, bytes: joined(chunks) }))
    request.once('error', breakOff)
    request.once('close', breakOff)
  })
}

function joined(chunks: readonly Buffer[]): Buffer {
  const [only] = chunks
  return chunks.length === 1 && only ? only : Buffer.concat(chunks)
}
