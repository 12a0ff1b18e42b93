import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { pipeline, Readable } from 'node:stream'
import { crc32, createInflateRaw } from 'node:zlib'
import type { AddedFile } from '@countersign/core/evidence'
import type { DosTime, MemberLayout } from '../zip/layout.ts'
import { ContainerError, dataAt, readContainer } from './container.ts'

/** A pack's file that is read member by member. */
export interface ZipReader {
  readonly entries: readonly MemberLayout[]
  /** The time that all of them have. */
  readonly time: DosTime
  /** The member's bytes; rejects where they are not those that its sizes and its CRC speak of. */
  read(entry: MemberLayout): AsyncIterable<Uint8Array>
  /** Size and SHA-256 of all that stands before a member. */
  before(entry: MemberLayout): Promise<AddedFile>
  close(): Promise<void>
}

/** Opens a pack; rejects with a `ContainerError` for a file that the writer of packs can not have made. */
export async function openZip(path: string): Promise<ZipReader> {
  const handle = await open(path)
  try {
    const { members, time } = await readContainer(handle)
    return {
      entries: members,
      time,
      read: (entry) => contentOf(handle, entry),
      before: (entry) => measured(piecesOf(handle, 0, entry.offset)),
      close: () => handle.close(),
    }
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** Bytes that are read at a time. */
const pieceBytes = 65_536

async function* piecesOf(
  handle: FileHandle,
  start: number,
  length: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  for (let at = 0; at < length; ) {
    const asked = Math.min(pieceBytes, length - at)
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(asked), 0, asked, start + at)
    if (bytesRead === 0) throw new ContainerError('it became shorter while it was read')
    at += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}

async function* contentOf(
  handle: FileHandle,
  entry: MemberLayout,
): AsyncGenerator<Uint8Array, void, undefined> {
  const packed = piecesOf(handle, dataAt(entry), entry.packedBytes)
  let bytes = 0
  let crc = 0
  for await (const piece of entry.isStored ? packed : inflated(packed, entry)) {
    bytes += piece.length
    if (bytes > entry.bytes) break
    crc = crc32(piece, crc)
    yield piece
  }
  if (bytes !== entry.bytes || crc !== entry.crc)
    throw new ContainerError('its content is not that of its size and CRC')
}

/** What a deflate stream holds that ends with its last byte. */
async function* inflated(
  packed: AsyncIterable<Uint8Array>,
  { packedBytes }: MemberLayout,
): AsyncGenerator<Uint8Array, void, undefined> {
  const inflate = createInflateRaw()
  // What fails ends the reading below, too.
  pipeline(Readable.from(packed, { objectMode: false }), inflate, () => {})
  for await (const piece of inflate) yield piece as Uint8Array
  if (inflate.bytesWritten !== packedBytes)
    throw new ContainerError('its deflate stream ends before its data')
}

async function measured(pieces: AsyncIterable<Uint8Array>): Promise<AddedFile> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const piece of pieces) {
    hash.update(piece)
    bytes += piece.length
  }
  return { bytes, sha256: hash.digest('hex') }
}
