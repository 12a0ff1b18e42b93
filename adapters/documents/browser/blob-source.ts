import type { ByteSource } from '../verify/byte-source.ts'

/** Bytes that are fetched at once, for a pack is read in many small steps that follow one another. */
const windowBytes = 2 ** 20

/** A file of the browser as a source; one window of it is in memory. */
export function blobSource(blob: Blob): ByteSource {
  const { size } = blob
  let window = { at: 0, bytes: new Uint8Array() }
  return {
    size,
    async read(at, length) {
      const end = Math.min(at + length, size)
      if (at < window.at || end > window.at + window.bytes.length) {
        const piece = blob.slice(at, Math.max(end, at + windowBytes))
        window = { at, bytes: new Uint8Array(await piece.arrayBuffer()) }
      }
      const { bytes, at: from } = window
      return bytes.subarray(at - from, end - from)
    },
  }
}
