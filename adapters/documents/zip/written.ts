import { createHash } from 'node:crypto'
import { Transform } from 'node:stream'
import { crc32 } from 'node:zlib'
import type { AddedFile } from '@countersign/core/evidence'
import { type DosTime, descriptor, localHeader, type MemberLayout } from './layout.ts'

/** A deflated member while it is written; its source fills in what it has read. */
export interface WrittenMember {
  readonly path: string
  bytes: number
  crc: number
  isRead: boolean
}

/** Notes a piece of a member's content. */
export function noteContent(member: WrittenMember, piece: Uint8Array): void {
  member.bytes += piece.length
  member.crc = crc32(piece, member.crc)
}

/** The bytes of an archive on their way to its reader, hashed, and where its members end. */
export interface Written {
  readonly stream: Transform
  /** Expects a member; they come one after the other. */
  expect(member: WrittenMember): void
  /** Size and SHA-256 of all bytes so far, once all members that are expected are written. */
  total(): Promise<AddedFile>
}

/** The writer puts headers and descriptors out as chunks of their own, by which ends of members are known. */
export function hashWritten(time: DosTime): Written {
  const hash = createHash('sha256')
  const expected: WrittenMember[] = []
  let bytes = 0
  /** Where the header of the first expected member began; null before it came. */
  let begun: number | null = null
  let waiting: ((total: AddedFile) => void)[] = []

  const total = (): AddedFile => ({ bytes, sha256: hash.copy().digest('hex') })

  function layoutOf(member: WrittenMember, offset: number): MemberLayout {
    const { path, bytes: length, crc } = member
    const headerBytes = localHeader(unknownSizes(path, offset), time).length
    const packedBytes = bytes - offset - headerBytes
    return { path, isStored: false, crc, bytes: length, offset, packedBytes }
  }

  /** Told before the chunk is counted. */
  function follow(chunk: Buffer): void {
    const [member] = expected
    if (!member) return
    if (begun === null) {
      if (chunk.equals(localHeader(unknownSizes(member.path, bytes), time))) begun = bytes
    } else if (member.isRead && chunk.equals(descriptor(layoutOf(member, begun)))) {
      expected.shift()
      begun = null
    }
  }

  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      follow(chunk)
      hash.update(chunk)
      bytes += chunk.length
      if (expected.length === 0) {
        for (const resolve of waiting) resolve(total())
        waiting = []
      }
      done(null, chunk)
    },
  })

  return {
    stream,
    expect: (member) => void expected.push(member),
    total: () =>
      expected.length === 0
        ? Promise.resolve(total())
        : new Promise((resolve) => {
            waiting.push(resolve)
          }),
  }
}

function unknownSizes(path: string, offset: number): MemberLayout {
  return { path, isStored: false, crc: 0, packedBytes: 0, bytes: 0, offset }
}
