import { isSafePath, unlistedFiles } from '@countersign/core/evidence'
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import {
  type DirectoryPlace,
  type DosTime,
  descriptor,
  directoryRecord,
  endRecords,
  isZip64,
  layoutBytes,
  localHeader,
  type MemberLayout,
} from '../zip/layout.ts'
import type { ByteSource } from './byte-source.ts'

/** A ZIP file that is not, byte by byte, what the writer of packs makes of its members. */
export class ContainerError extends Error {
  override readonly name = 'ContainerError'
}

/** A ZIP file whose every byte outside its members' data is accounted for. */
export interface Container {
  readonly members: readonly MemberLayout[]
  /** The time that all of its members have. */
  readonly time: DosTime
}

/** Largest directory that is read; a bulk export has some 3,000 members of 300 bytes. */
const directoryLimit = 64 * 2 ** 20

/**
 * Reads the directory of a ZIP file and compares the file with what the writer of packs makes of it: headers that follow
 * one another from the first byte and agree with the directory, which follows the last of them and is followed by the end
 * record alone. Throws a `ContainerError` for any other file, so that no program can unpack it as something else.
 */
export async function readContainer(source: ByteSource): Promise<Container> {
  const place = await placeOf(source)
  const directory = await bytesAt(source, place.offset, place.bytes)
  const members: MemberLayout[] = []
  const paths = new Set<string>()
  let time: DosTime | null = null
  let at = 0
  let next = 0
  while (at < directory.length) {
    const found = recordIn(directory, at)
    time ??= found.time
    const { member } = found
    const record = directoryRecord(member, time)
    if (!isEqual(record, directory.subarray(at, at + record.length)))
      throw new ContainerError(
        `its directory has another record of ${shown(member)} than its writer makes`,
      )
    if (member.offset !== next)
      throw new ContainerError(`${shown(member)} does not follow the member before it`)
    const name = member.path.toLowerCase()
    if (!isSafePath(member.path) || paths.has(name))
      throw new ContainerError(
        `it has ${shown(member)} twice, or under a name that systems read otherwise`,
      )
    paths.add(name)
    next = await endOf(source, member, time)
    members.push(member)
    at += record.length
  }
  if (members.length !== place.count || next !== place.offset)
    throw new ContainerError('its directory does not follow its last member')
  return { members, time: time ?? { time: 0, date: 0 } }
}

/** Where a member's data begins. */
export function dataAt({ offset, path }: MemberLayout): number {
  return offset + layoutBytes.localHeader + utf8ToBytes(path).length
}

async function placeOf(source: ByteSource): Promise<DirectoryPlace> {
  const { zip64End, zip64Locator, end } = layoutBytes
  const { size } = source
  if (size < end) throw new ContainerError('it is shorter than the end of an archive')
  const tail = await bytesAt(source, size - end, end)
  const small: DirectoryPlace = {
    count: numberAt(tail, 10, 2),
    bytes: numberAt(tail, 12, 4),
    offset: numberAt(tail, 16, 4),
  }
  const longTail = zip64End + zip64Locator
  const isLarge =
    small.count === 0xffff || small.bytes === 0xffffffff || small.offset === 0xffffffff
  if (isLarge && size < end + longTail) throw new ContainerError('its end record is cut')
  const large = isLarge ? await bytesAt(source, size - end - longTail, longTail) : null
  const place: DirectoryPlace = large
    ? {
        count: numberAt(large, 32, 8),
        bytes: numberAt(large, 40, 8),
        offset: numberAt(large, 48, 8),
      }
    : small
  const expected = endRecords(place)
  const found = large ? concatBytes(large, tail) : tail
  if (!isEqual(expected, found))
    throw new ContainerError('its last bytes are no end record of a pack')
  if (place.offset + place.bytes + expected.length !== size || place.bytes > directoryLimit)
    throw new ContainerError('its directory does not end where its end record begins')
  return place
}

function recordIn(
  directory: Uint8Array,
  at: number,
): { readonly member: MemberLayout; readonly time: DosTime } {
  const { directoryRecord: head, zip64Extra } = layoutBytes
  if (at + head > directory.length) throw new ContainerError('its directory is cut')
  const nameBytes = numberAt(directory, at + 28, 2)
  const behind = at + head + nameBytes
  if (behind > directory.length) throw new ContainerError('its directory is cut')
  const path = asText.decode(directory.subarray(at + head, behind))
  const packedBytes = numberAt(directory, at + 20, 4)
  const isLarge = packedBytes === 0xffffffff
  if (isLarge && behind + zip64Extra > directory.length)
    throw new ContainerError('its directory is cut')
  return {
    time: { time: numberAt(directory, at + 12, 2), date: numberAt(directory, at + 14, 2) },
    member: {
      path,
      isStored: unlistedFiles.has(path),
      crc: numberAt(directory, at + 16, 4),
      bytes: isLarge ? numberAt(directory, behind + 4, 8) : numberAt(directory, at + 24, 4),
      packedBytes: isLarge ? numberAt(directory, behind + 12, 8) : packedBytes,
      offset: isLarge ? numberAt(directory, behind + 20, 8) : numberAt(directory, at + 42, 4),
    },
  }
}

/** Where what follows a member begins; its header and descriptor are as the directory has them. */
async function endOf(source: ByteSource, member: MemberLayout, time: DosTime): Promise<number> {
  const head = localHeader(member, time)
  const tail = descriptor(member)
  const from = member.offset + head.length + member.packedBytes
  if (!isEqual(head, await bytesAt(source, member.offset, head.length)))
    throw new ContainerError(`the header of ${shown(member)} differs from the directory`)
  if (!isEqual(tail, await bytesAt(source, from, tail.length)))
    throw new ContainerError(`what follows ${shown(member)} differs from the directory`)
  if (member.isStored && (isZip64(member) || member.packedBytes !== member.bytes))
    throw new ContainerError(`the sizes of ${shown(member)} differ`)
  return from + tail.length
}

const asText = new TextDecoder('utf-8', { ignoreBOM: true })

/** A number of so many bytes; one that no file can reach is larger than all offsets that are compared with it. */
function numberAt(bytes: Uint8Array, at: number, length: 2 | 4 | 8): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (length === 2) return view.getUint16(at, true)
  if (length === 4) return view.getUint32(at, true)
  const number = view.getBigUint64(at, true)
  if (number > BigInt(Number.MAX_SAFE_INTEGER))
    throw new ContainerError('a size of it is no size of a file')
  return Number(number)
}

async function bytesAt(source: ByteSource, at: number, length: number): Promise<Uint8Array> {
  if (length > directoryLimit)
    throw new ContainerError('its directory is larger than that of any pack')
  if (at + length > source.size) throw new ContainerError('it ends within a record')
  const bytes = await source.read(at, length)
  if (bytes.length < length) throw new ContainerError('it became shorter while it was read')
  return bytes
}

function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at])
}

function shown({ path }: MemberLayout): string {
  return JSON.stringify(path.slice(0, 200))
}
