import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib'
import { unlistedFiles } from '@countersign/core/evidence'
import type { SeededRandom } from '@countersign/core/testing'
import {
  type DosTime,
  descriptor,
  directoryRecord,
  endRecords,
  localHeader,
  type MemberLayout,
} from '../zip/layout.ts'

/** A member of an archive, taken apart: its bytes in the file and its record of the directory. */
export interface Part {
  readonly path: string
  readonly isStored: boolean
  readonly packed: Buffer
  readonly content: Buffer
  /** Bytes in front of the member's header that belong to nothing. */
  readonly gap?: Buffer
  /** Changes what was made of the member. */
  readonly header?: (made: Buffer) => Buffer
  readonly descriptor?: (made: Buffer) => Buffer
  readonly record?: (made: Buffer) => Buffer
  /** Whether the directory leaves it out. */
  readonly isHidden?: boolean
}

/** Changes of the whole, beside its members. */
export interface Whole {
  readonly gap?: Buffer
  readonly records?: (made: readonly Buffer[]) => readonly Buffer[]
  readonly end?: (made: Buffer) => Buffer
}

/** Takes a genuine pack apart. */
export function partsOf(pack: Buffer, members: readonly MemberLayout[]): readonly Part[] {
  return members.map(({ path, isStored, offset, packedBytes }) => {
    const from = offset + 30 + Buffer.byteLength(path)
    const packed = pack.subarray(from, from + packedBytes)
    return { path, isStored, packed, content: isStored ? packed : inflateRawSync(packed) }
  })
}

/** Puts parts together as the writer of packs would, but for what they say otherwise. */
export function assembled(parts: readonly Part[], time: DosTime, whole: Whole = {}): Buffer {
  const same = (made: Buffer) => made
  const bytes: Buffer[] = []
  const records: Buffer[] = []
  let offset = 0
  const write = (piece: Buffer) => {
    bytes.push(piece)
    offset += piece.length
  }
  for (const part of parts) {
    const { path, isStored, packed, content, gap = Buffer.alloc(0) } = part
    write(gap)
    const member: MemberLayout = {
      ...{ path, isStored, offset, packedBytes: packed.length },
      ...{ bytes: content.length, crc: crc32(content) },
    }
    write((part.header ?? same)(Buffer.from(localHeader(member, time))))
    write(packed)
    write((part.descriptor ?? same)(Buffer.from(descriptor(member))))
    if (!part.isHidden)
      records.push((part.record ?? same)(Buffer.from(directoryRecord(member, time))))
  }
  write(whole.gap ?? Buffer.alloc(0))
  const place = offset
  const directory = whole.records?.(records) ?? records
  for (const record of directory) write(record)
  const end = endRecords({ count: directory.length, offset: place, bytes: offset - place })
  write((whole.end ?? same)(Buffer.from(end)))
  return Buffer.concat(bytes)
}

type Forgery = (pack: {
  readonly parts: readonly Part[]
  readonly time: DosTime
  readonly random: SeededRandom
}) => Buffer

function at<T>(random: SeededRandom, all: readonly T[]): T {
  return all[random.below(all.length)] as T
}

function changedPart(
  change: (part: Part, random: SeededRandom) => Part,
  which: (part: Part) => boolean = () => true,
): Forgery {
  return ({ parts, time, random }) => {
    const chosen = at(random, parts.filter(which))
    return assembled(
      parts.map((part) => (part === chosen ? change(part, random) : part)),
      time,
    )
  }
}

function withNumber(place: number, size: 2 | 4, number: (was: number) => number) {
  return (made: Buffer): Buffer => {
    const changed = Buffer.from(made)
    changed.writeUIntLE(number(changed.readUIntLE(place, size)) >>> 0, place, size)
    return changed
  }
}

const some = (random: SeededRandom) => Buffer.from(random.bytes(1 + random.below(40)))
const extra = Buffer.from([0x75, 0x70, 4, 0, 1, 2, 3, 4])
const isDeflated = ({ isStored }: Part) => !isStored

/** A member with other content under the path. */
function decoy(path: string): Part {
  const content = Buffer.from('forged')
  return { path, isStored: false, content, packed: deflateRawSync(content) }
}

/** Archives that some program unpacks as another than the genuine one; the seal is the genuine one. */
export const containerForgeries: Readonly<Record<string, Forgery>> = {
  'bytes in front, offsets as they were': ({ parts, time, random }) =>
    Buffer.concat([some(random), assembled(parts, time)]),
  'bytes in front of a member': changedPart((part, random) => ({ ...part, gap: some(random) })),
  'an archive in front': ({ parts, time }) =>
    Buffer.concat([assembled([decoy('README.txt')], time), assembled(parts, time)]),
  'bytes behind the end': ({ parts, time, random }) =>
    Buffer.concat([assembled(parts, time), some(random)]),
  'an archive behind the end': ({ parts, time }) =>
    Buffer.concat([assembled(parts, time), assembled([decoy('README.txt')], time)]),
  'a comment of the archive': ({ parts, time, random }) => {
    const comment = some(random)
    const end = (made: Buffer) =>
      Buffer.concat([withNumber(20, 2, () => comment.length)(made), comment])
    return assembled(parts, time, { end })
  },
  'bytes in front of the directory': ({ parts, time, random }) =>
    assembled(parts, time, { gap: some(random) }),
  'a hidden member': ({ parts, time, random }) => {
    const place = random.below(parts.length + 1)
    const hidden = { ...decoy(at(random, parts).path), isHidden: true }
    return assembled([...parts.slice(0, place), hidden, ...parts.slice(place)], time)
  },
  'a member twice': ({ parts, time, random }) => {
    const place = random.below(parts.length + 1)
    const twice = decoy(at(random, parts).path)
    return assembled([...parts.slice(0, place), twice, ...parts.slice(place)], time)
  },
  'a member twice but for its case': ({ parts, time, random }) => {
    const twice = decoy(at(random, parts).path.toUpperCase())
    return assembled([twice, ...parts], time)
  },
  'a record twice': ({ parts, time, random }) =>
    assembled(parts, time, { records: (made) => [...made, at(random, made)] }),
  'two records of one member': ({ parts, time, random }) =>
    assembled(parts, time, {
      records: (made) => {
        const copy = Buffer.from(at(random, made))
        copy.write('x', 46)
        return [...made, copy]
      },
    }),
  'records in another order': ({ parts, time }) =>
    assembled(parts, time, { records: (made) => [...made.slice(1), ...made.slice(0, 1)] }),
  'a record less': ({ parts, time, random }) => {
    const place = random.below(parts.length)
    return assembled(parts, time, { records: (made) => made.filter((_, n) => n !== place) })
  },
  'a name that differs in the header': changedPart((part) => ({
    ...part,
    header: (made) => {
      const changed = Buffer.from(made)
      changed.write(changed.toString('latin1', 30, 31) === 'x' ? 'y' : 'x', 30)
      return changed
    },
  })),
  'sizes that differ in the header': changedPart((part, random) => ({
    ...part,
    header: withNumber(at(random, [14, 18, 22]), 4, (was) => was + 1 + random.below(100)),
  })),
  'sizes that differ in the descriptor': changedPart(
    (part, random) => ({
      ...part,
      descriptor: withNumber(at(random, [4, 8, 12]), 4, (was) => was + 1 + random.below(100)),
    }),
    isDeflated,
  ),
  'another fixed field of a header': changedPart((part, random) => ({
    ...part,
    header: withNumber(at(random, [4, 6, 8, 10, 12]), 2, (was) => was ^ (1 << random.below(16))),
  })),
  'another fixed field of a record': changedPart((part, random) => ({
    ...part,
    record: withNumber(
      at(random, [4, 6, 8, 10, 12, 14, 32, 34, 36, 38, 40]),
      2,
      (was) => was ^ (1 << random.below(16)),
    ),
  })),
  'an extra field of a header': changedPart((part) => ({
    ...part,
    header: (made) => Buffer.concat([withNumber(28, 2, () => extra.length)(made), extra]),
  })),
  'an extra field of a record': changedPart((part) => ({
    ...part,
    record: (made) => Buffer.concat([withNumber(30, 2, () => extra.length)(made), extra]),
  })),
  'a comment of a member': changedPart((part, random) => ({
    ...part,
    record: (made) => {
      const comment = some(random)
      return Buffer.concat([withNumber(32, 2, () => comment.length)(made), comment])
    },
  })),
  'sizes in fields of 64 bits that need none': changedPart((part) => ({
    ...part,
    record: (made) => {
      const [packed, bytes, offset] = [20, 24, 42].map((from) => made.readUInt32LE(from))
      const large = Buffer.alloc(28)
      large.writeUInt16LE(1, 0)
      large.writeUInt16LE(24, 2)
      for (const [n, value] of [bytes, packed, offset].entries())
        large.writeBigUInt64LE(BigInt(value ?? 0), 4 + 8 * n)
      const changed = Buffer.from(made)
      for (const from of [20, 24, 42]) changed.writeUInt32LE(0xffffffff, from)
      changed.writeUInt16LE(large.length, 30)
      return Buffer.concat([changed, large])
    },
  })),
  'an end record of 64 bits that needs none': ({ parts, time }) =>
    assembled(parts, time, {
      end: (made) => {
        const [count, bytes, offset] = [
          made.readUInt16LE(10),
          made.readUInt32LE(12),
          made.readUInt32LE(16),
        ]
        const large = Buffer.alloc(76)
        large.writeUInt32LE(0x06064b50, 0)
        large.writeBigUInt64LE(44n, 4)
        large.writeUInt16LE((3 << 8) | 63, 12)
        large.writeUInt16LE(45, 14)
        large.writeBigUInt64LE(BigInt(count), 24)
        large.writeBigUInt64LE(BigInt(count), 32)
        large.writeBigUInt64LE(BigInt(bytes), 40)
        large.writeBigUInt64LE(BigInt(offset), 48)
        large.writeUInt32LE(0x07064b50, 56)
        large.writeBigUInt64LE(BigInt(offset + bytes), 64)
        large.writeUInt32LE(1, 72)
        const end = withNumber(16, 4, () => 0xffffffff)(made)
        return Buffer.concat([large, end])
      },
    }),
  'a count that differs': ({ parts, time, random }) =>
    assembled(parts, time, {
      end: withNumber(at(random, [4, 6, 8, 10]), 2, (was) => was + 1 + random.below(9)),
    }),
  'bytes behind a deflate stream': changedPart(
    (part, random) => ({ ...part, packed: Buffer.concat([part.packed, some(random)]) }),
    isDeflated,
  ),
  'a member that is stored': changedPart(
    (part) => ({ ...part, isStored: true, packed: part.content }),
    isDeflated,
  ),
  'a seal that is deflated': changedPart(
    (part) => ({ ...part, isStored: false, packed: deflateRawSync(part.content) }),
    ({ path }) => unlistedFiles.has(path),
  ),
  'a member that is deflated otherwise': changedPart(
    (part) => ({ ...part, packed: deflateRawSync(part.content, { level: 0 }) }),
    isDeflated,
  ),
  'all members at another time': ({ parts, time }) =>
    assembled(parts, { ...time, time: time.time + 1 }),
}
