import type { FileHandle } from 'node:fs/promises'
import { isSafePath, unlistedFiles } from '@countersign/core/evidence'
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
export async function readContainer(handle: FileHandle): Promise<Container> {
  const { size } = await handle.stat()
  const place = await placeOf(handle, size)
  const directory = await bytesAt(handle, place.offset, place.bytes)
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
    if (!record.equals(directory.subarray(at, at + record.length)))
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
    next = await endOf(handle, member, time)
    members.push(member)
    at += record.length
  }
  if (members.length !== place.count || next !== place.offset)
    throw new ContainerError('its directory does not follow its last member')
  return { members, time: time ?? { time: 0, date: 0 } }
}

/** Where a member's data begins. */
export function dataAt({ offset, path }: MemberLayout): number {
  return offset + layoutBytes.localHeader + Buffer.byteLength(path)
}

async function placeOf(handle: FileHandle, size: number): Promise<DirectoryPlace> {
  const { zip64End, zip64Locator, end } = layoutBytes
  if (size < end) throw new ContainerError('it is shorter than the end of an archive')
  const tail = await bytesAt(handle, size - end, end)
  const small: DirectoryPlace = {
    count: tail.readUInt16LE(10),
    bytes: tail.readUInt32LE(12),
    offset: tail.readUInt32LE(16),
  }
  const longTail = zip64End + zip64Locator
  const isLarge =
    small.count === 0xffff || small.bytes === 0xffffffff || small.offset === 0xffffffff
  if (isLarge && size < end + longTail) throw new ContainerError('its end record is cut')
  const large = isLarge ? await bytesAt(handle, size - end - longTail, longTail) : null
  const place: DirectoryPlace = large
    ? {
        count: numberAt(large, 32),
        bytes: numberAt(large, 40),
        offset: numberAt(large, 48),
      }
    : small
  const expected = endRecords(place)
  const found = large ? Buffer.concat([large, tail]) : tail
  if (!expected.equals(found))
    throw new ContainerError('its last bytes are no end record of a pack')
  if (place.offset + place.bytes + expected.length !== size || place.bytes > directoryLimit)
    throw new ContainerError('its directory does not end where its end record begins')
  return place
}

function recordIn(
  directory: Buffer,
  at: number,
): { readonly member: MemberLayout; readonly time: DosTime } {
  const { directoryRecord: head, zip64Extra } = layoutBytes
  if (at + head > directory.length) throw new ContainerError('its directory is cut')
  const nameBytes = directory.readUInt16LE(at + 28)
  const behind = at + head + nameBytes
  if (behind > directory.length) throw new ContainerError('its directory is cut')
  const path = directory.toString('utf8', at + head, behind)
  const packedBytes = directory.readUInt32LE(at + 20)
  const isLarge = packedBytes === 0xffffffff
  if (isLarge && behind + zip64Extra > directory.length)
    throw new ContainerError('its directory is cut')
  return {
    time: { time: directory.readUInt16LE(at + 12), date: directory.readUInt16LE(at + 14) },
    member: {
      path,
      isStored: unlistedFiles.has(path),
      crc: directory.readUInt32LE(at + 16),
      bytes: isLarge ? numberAt(directory, behind + 4) : directory.readUInt32LE(at + 24),
      packedBytes: isLarge ? numberAt(directory, behind + 12) : packedBytes,
      offset: isLarge ? numberAt(directory, behind + 20) : directory.readUInt32LE(at + 42),
    },
  }
}

/** Where what follows a member begins; its header and descriptor are as the directory has them. */
async function endOf(handle: FileHandle, member: MemberLayout, time: DosTime): Promise<number> {
  const head = localHeader(member, time)
  const tail = descriptor(member)
  const from = member.offset + head.length + member.packedBytes
  if (!head.equals(await bytesAt(handle, member.offset, head.length)))
    throw new ContainerError(`the header of ${shown(member)} differs from the directory`)
  if (!tail.equals(await bytesAt(handle, from, tail.length)))
    throw new ContainerError(`what follows ${shown(member)} differs from the directory`)
  if (member.isStored && (isZip64(member) || member.packedBytes !== member.bytes))
    throw new ContainerError(`the sizes of ${shown(member)} differ`)
  return from + tail.length
}

/** A number of 64 bits; one that no file can reach is larger than all offsets that are compared with it. */
function numberAt(bytes: Buffer, at: number): number {
  const number = bytes.readBigUInt64LE(at)
  if (number > BigInt(Number.MAX_SAFE_INTEGER))
    throw new ContainerError('a size of it is no size of a file')
  return Number(number)
}

async function bytesAt(handle: FileHandle, at: number, length: number): Promise<Buffer> {
  if (length > directoryLimit)
    throw new ContainerError('its directory is larger than that of any pack')
  const bytes = Buffer.alloc(length)
  let filled = 0
  while (filled < length) {
    const { bytesRead } = await handle.read(bytes, filled, length - filled, at + filled)
    if (bytesRead === 0) throw new ContainerError('it ends within a record')
    filled += bytesRead
  }
  return bytes
}

function shown({ path }: MemberLayout): string {
  return JSON.stringify(path.slice(0, 200))
}
