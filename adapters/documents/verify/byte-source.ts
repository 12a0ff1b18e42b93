import type { AddedFile } from '@countersign/core/evidence'
import type { Primitives } from '@countersign/core/signing'

/** Bytes that are read in any order, as a file's. */
export interface ByteSource {
  readonly size: number
  /** The bytes from `at` on, `length` of them; fewer where the source ends before. */
  read(at: number, length: number): Promise<Uint8Array>
}

/** What each runtime does in its own way while packs are verified. */
export interface VerifyTools {
  sha256(): Sha256
  /** CRC-32 of bytes that follow others; `before` is the CRC of these, 0 at the start. */
  crc32(piece: Uint8Array, before: number): number
  /** What a raw deflate stream holds; rejects for any other bytes, and where it ends before its last byte. */
  inflate(packed: PackedBytes): AsyncIterable<Uint8Array>
  /** Verifies signatures; absent: in portable code. */
  readonly ed25519?: Pick<Primitives, 'ed25519Verifier'>
}

/** SHA-256 of bytes that come in pieces. */
export interface Sha256 {
  update(piece: Uint8Array): void
  /** Hex; called once, after the last piece. */
  digest(): string
}

/** Bytes of a source that are read piece by piece, from the start each time. */
export interface PackedBytes {
  readonly bytes: number
  pieces(length: number): AsyncIterable<Uint8Array>
}

/** Bytes that are read at a time. */
const pieceBytes = 65_536

/** A range of a source, piece by piece; throws where the source became shorter. */
export async function* piecesOf(
  source: ByteSource,
  start: number,
  length: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  for (let at = 0; at < length; ) {
    const piece = await source.read(start + at, Math.min(pieceBytes, length - at))
    if (piece.length === 0) throw new Error('it became shorter while it was read')
    at += piece.length
    yield piece
  }
}

/** Size and SHA-256 of bytes that come in pieces. */
export async function measured(
  pieces: AsyncIterable<Uint8Array>,
  { sha256 }: Pick<VerifyTools, 'sha256'>,
): Promise<AddedFile> {
  const hash = sha256()
  let bytes = 0
  for await (const piece of pieces) {
    hash.update(piece)
    bytes += piece.length
  }
  return { bytes, sha256: hash.digest() }
}
