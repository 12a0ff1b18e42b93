/** Growing buffer for a body in chunks; memory is proportional to the bytes, not to the number of chunks. */
export interface BodyBuffer {
  /** Bytes taken so far. */
  readonly length: number
  /** Bytes allocated: at most twice `length`, or the smallest buffer. */
  readonly capacity: number
  /** Appends a copy of the chunk; false, without effect, when the body would exceed its limit or may not be held. */
  add(chunk: Uint8Array): boolean
  /** The body, in a buffer of exactly its size. */
  whole(): Uint8Array
}

const smallest = 1_024

/** Ignores `Content-Length`: allocates only for bytes received, and only when `mayHold` says so, of all that is held. */
export function createBodyBuffer(
  maxBytes: number,
  mayHold: (capacity: number) => boolean = () => true,
): BodyBuffer {
  let buffer = new Uint8Array(0)
  let length = 0
  return {
    get length() {
      return length
    },
    get capacity() {
      return buffer.length
    },
    add(chunk) {
      const needed = length + chunk.length
      if (needed > maxBytes) return false
      if (needed > buffer.length) {
        const capacity = Math.min(
          Math.max(needed, buffer.length * 2, smallest),
          Math.max(maxBytes, smallest),
        )
        // Both are in memory while one is copied.
        if (!mayHold(buffer.length + capacity)) return false
        const grown = new Uint8Array(capacity)
        grown.set(buffer.subarray(0, length))
        buffer = grown
        mayHold(capacity)
      }
      buffer.set(chunk, length)
      length = needed
      return true
    },
    whole: () => (length === buffer.length ? buffer : buffer.slice(0, length)),
  }
}
