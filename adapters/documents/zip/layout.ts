import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js'

/** What an archive says of a member, beside its content. */
export interface MemberLayout {
  readonly path: string
  /** As it is, with CRC and sizes in front; else deflated, with a descriptor behind. */
  readonly isStored: boolean
  readonly crc: number
  readonly packedBytes: number
  readonly bytes: number
  /** Where its local header begins. */
  readonly offset: number
}

const largest32 = 0xffffffff
const largest16 = 0xffff
/** Version 6.3 of the format, on UNIX. */
const madeBy = (3 << 8) | 63
const needs = { usual: 20, zip64: 45 } as const
const namesAreUtf8 = 1 << 11
const hasDescriptor = 1 << 3
const methods = { stored: 0, deflated: 8 } as const
/** A regular file that all may read and its owner write. */
const attributes = 0o100644 * 0x10000

/** Bytes of the fixed parts of an archive. */
export const layoutBytes = {
  localHeader: 30,
  descriptor: 16,
  zip64Descriptor: 24,
  directoryRecord: 46,
  zip64Extra: 28,
  zip64End: 56,
  zip64Locator: 20,
  end: 22,
} as const

type Field = readonly [bytes: 2 | 4 | 8, value: number]

function fields(...all: readonly Field[]): Uint8Array {
  const made = new DataView(new ArrayBuffer(all.reduce((sum, [bytes]) => sum + bytes, 0)))
  let at = 0
  for (const [bytes, value] of all) {
    if (bytes === 8) made.setBigUint64(at, BigInt(value), true)
    else if (bytes === 4) made.setUint32(at, value, true)
    else made.setUint16(at, value, true)
    at += bytes
  }
  return new Uint8Array(made.buffer)
}

/** Date and time of members as DOS writes them, in UTC and steps of two seconds; `at` is ms. */
export function dosTimeOf(at: number): { readonly time: number; readonly date: number } {
  const day = new Date(Math.max(at, Date.UTC(1980, 0, 1)))
  const year = day.getUTCFullYear() - 1980
  return {
    time: (day.getUTCHours() << 11) | (day.getUTCMinutes() << 5) | (day.getUTCSeconds() >> 1),
    date: (year << 9) | ((day.getUTCMonth() + 1) << 5) | day.getUTCDate(),
  }
}

export type DosTime = ReturnType<typeof dosTimeOf>

/** Whether sizes and place of a member take fields of 64 bits. */
export function isZip64({ bytes, packedBytes, offset }: MemberLayout): boolean {
  return Math.max(bytes, packedBytes, offset) >= largest32
}

/** What stands before a member's data. */
export function localHeader(member: MemberLayout, { time, date }: DosTime): Uint8Array {
  const { isStored, crc, packedBytes, bytes } = member
  const name = utf8ToBytes(member.path)
  const head = fields(
    [4, 0x04034b50],
    [2, needs.usual],
    [2, namesAreUtf8 | (isStored ? 0 : hasDescriptor)],
    [2, isStored ? methods.stored : methods.deflated],
    [2, time],
    [2, date],
    [4, isStored ? crc : 0],
    [4, isStored ? packedBytes : 0],
    [4, isStored ? bytes : 0],
    [2, name.length],
    [2, 0],
  )
  return concatBytes(head, name)
}

/** What stands behind a member's data. */
export function descriptor(member: MemberLayout): Uint8Array {
  if (member.isStored) return new Uint8Array()
  const size = isZip64(member) ? 8 : 4
  return fields([4, 0x08074b50], [4, member.crc], [size, member.packedBytes], [size, member.bytes])
}

/** A member's record in the directory. */
export function directoryRecord(member: MemberLayout, { time, date }: DosTime): Uint8Array {
  const { isStored, crc, packedBytes, bytes, offset } = member
  const name = utf8ToBytes(member.path)
  const isLarge = isZip64(member)
  const extra = isLarge
    ? fields([2, 1], [2, 24], [8, bytes], [8, packedBytes], [8, offset])
    : new Uint8Array()
  const head = fields(
    [4, 0x02014b50],
    [2, madeBy],
    [2, isLarge ? needs.zip64 : needs.usual],
    [2, namesAreUtf8 | (isStored ? 0 : hasDescriptor)],
    [2, isStored ? methods.stored : methods.deflated],
    [2, time],
    [2, date],
    [4, crc],
    [4, isLarge ? largest32 : packedBytes],
    [4, isLarge ? largest32 : bytes],
    [2, name.length],
    [2, extra.length],
    ...([2, 2, 2] as const).map((size): Field => [size, 0]),
    [4, attributes],
    [4, isLarge ? largest32 : offset],
  )
  return concatBytes(head, name, extra)
}

/** Where a directory lies. */
export interface DirectoryPlace {
  readonly count: number
  readonly offset: number
  readonly bytes: number
}

/** What ends an archive, behind its directory. */
export function endRecords({ count, offset, bytes }: DirectoryPlace): Uint8Array {
  const isLarge = count >= largest16 || bytes >= largest32 || offset >= largest32
  const end = fields(
    [4, 0x06054b50],
    [2, 0],
    [2, 0],
    [2, Math.min(count, largest16)],
    [2, Math.min(count, largest16)],
    [4, Math.min(bytes, largest32)],
    [4, Math.min(offset, largest32)],
    [2, 0],
  )
  if (!isLarge) return end
  const large = fields(
    [4, 0x06064b50],
    [8, layoutBytes.zip64End - 12],
    [2, madeBy],
    [2, needs.zip64],
    [4, 0],
    [4, 0],
    [8, count],
    [8, count],
    [8, bytes],
    [8, offset],
  )
  const locator = fields([4, 0x07064b50], [4, 0], [8, offset + bytes], [4, 1])
  return concatBytes(large, locator, end)
}
