import { createHash, createPublicKey, verify } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { pipeline, Readable } from 'node:stream'
import { crc32, createInflateRaw } from 'node:zlib'
import { checkPublicKey } from '@countersign/core/signing'
import type { ByteSource, PackedBytes, VerifyTools } from './byte-source.ts'

/** Node's own hashes, inflater and Ed25519. */
export const nodeTools: VerifyTools = {
  sha256() {
    const hash = createHash('sha256')
    return { update: (piece) => void hash.update(piece), digest: () => hash.digest('hex') }
  },
  crc32,
  inflate,
  ed25519: {
    ed25519Verifier(publicKey) {
      // OpenSSL takes small-order and non-canonical keys, under which one signature can fit any message.
      checkPublicKey(publicKey)
      const jwk = { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(publicKey).toString('base64url') }
      const key = createPublicKey({ key: jwk, format: 'jwk' })
      return (prefix, bytes, signature) =>
        verify(null, Buffer.concat([Buffer.from(prefix), bytes]), key, signature)
    },
  },
}

async function* inflate({
  bytes,
  pieces,
}: PackedBytes): AsyncGenerator<Uint8Array, void, undefined> {
  const inflated = createInflateRaw()
  // What fails ends the reading below, too.
  pipeline(Readable.from(pieces(bytes), { objectMode: false }), inflated, () => {})
  for await (const piece of inflated) yield piece as Uint8Array
  if (inflated.bytesWritten !== bytes)
    throw new Error('the deflate stream ends before its last byte')
}

/** The bytes of an open file. */
export async function sourceOf(handle: FileHandle): Promise<ByteSource> {
  const { size } = await handle.stat()
  return {
    size,
    async read(at, length) {
      const bytes = Buffer.alloc(length)
      let filled = 0
      while (filled < length) {
        const { bytesRead } = await handle.read(bytes, filled, length - filled, at + filled)
        if (bytesRead === 0) break
        filled += bytesRead
      }
      return bytes.subarray(0, filled)
    },
  }
}
