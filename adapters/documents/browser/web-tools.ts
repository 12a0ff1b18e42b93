import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import type { PackedBytes, VerifyTools } from '../verify/byte-source.ts'
import { crc32 } from './crc32.ts'

/** SHA-256 and CRC-32 in portable code, for Web Crypto takes no pieces; inflating by the runtime's own stream. */
export const webTools: VerifyTools = {
  sha256() {
    const hash = sha256.create()
    return { update: (piece) => void hash.update(piece), digest: () => bytesToHex(hash.digest()) }
  },
  crc32,
  inflate,
}

type Pieces = AsyncIterable<Uint8Array>

/**
 * Runtimes differ in whether they take bytes behind the end of a deflate stream, and none tells where it was. A
 * stream that ends with its last byte is not whole without it.
 */
async function* inflate({
  bytes,
  pieces,
}: PackedBytes): AsyncGenerator<Uint8Array, void, undefined> {
  yield* inflated(pieces(bytes))
  if (await isWhole(pieces(bytes - 1)))
    throw new Error('the deflate stream ends before its last byte')
}

async function* inflated(packed: Pieces): AsyncGenerator<Uint8Array, void, undefined> {
  const { readable, writable } = new DecompressionStream('deflate-raw')
  const writer = writable.getWriter()
  // What fails here ends the reading below, too.
  const fed = feed(packed, writer).catch((reason: unknown) => writer.abort(reason).catch(() => {}))
  const reader = readable.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    await reader.cancel().catch(() => {})
    await fed
  }
}

async function feed(packed: Pieces, writer: WritableStreamDefaultWriter<BufferSource>) {
  for await (const piece of packed) await writer.write(Uint8Array.from(piece))
  await writer.close()
}

/** Whether a deflate stream ends within these pieces; rejects where they can't be read. */
async function isWhole(packed: Pieces): Promise<boolean> {
  const unread: unknown[] = []
  async function* noted(): Pieces {
    try {
      yield* packed
    } catch (error) {
      unread.push(error)
      throw error
    }
  }
  try {
    for await (const _ of inflated(noted()));
    return true
  } catch {
    if (unread.length > 0) throw unread[0]
    return false
  }
}
