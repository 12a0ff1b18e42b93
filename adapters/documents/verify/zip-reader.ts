import type { AddedFile } from '@countersign/core/evidence'
import type { DosTime, MemberLayout } from '../zip/layout.ts'
import { type ByteSource, measured, piecesOf, type VerifyTools } from './byte-source.ts'
import { ContainerError, dataAt, readContainer } from './container.ts'

/** A pack that is read member by member. */
export interface ZipReader {
  readonly entries: readonly MemberLayout[]
  /** The time that all of them have. */
  readonly time: DosTime
  /** The member's bytes; rejects where they are not those that its sizes and its CRC speak of. */
  read(entry: MemberLayout): AsyncIterable<Uint8Array>
  /** Size and SHA-256 of all that stands before a member. */
  before(entry: MemberLayout): Promise<AddedFile>
}

/** Opens a pack; rejects with a `ContainerError` for bytes that the writer of packs can not have made. */
export async function readZip(source: ByteSource, tools: VerifyTools): Promise<ZipReader> {
  const { members, time } = await readContainer(source)
  return {
    entries: members,
    time,
    read: (entry) => contentOf(source, entry, tools),
    before: (entry) => measured(piecesOf(source, 0, entry.offset), tools),
  }
}

async function* contentOf(
  source: ByteSource,
  entry: MemberLayout,
  { inflate, crc32 }: VerifyTools,
): AsyncGenerator<Uint8Array, void, undefined> {
  const packed = {
    bytes: entry.packedBytes,
    pieces: (length: number) => piecesOf(source, dataAt(entry), length),
  }
  let bytes = 0
  let crc = 0
  for await (const piece of entry.isStored ? packed.pieces(packed.bytes) : inflate(packed)) {
    bytes += piece.length
    if (bytes > entry.bytes) break
    crc = crc32(piece, crc)
    yield piece
  }
  if (bytes !== entry.bytes || crc !== entry.crc)
    throw new ContainerError('its content is not that of its size and CRC')
}
