import { inflateRawSync } from 'node:zlib'
import { ConformanceError } from '../assert.ts'

const endSize = 22
const endMark = 0x06054b50
const entryMark = 0x02014b50

/** The files of a ZIP archive by their paths, read by its central directory; throws a ConformanceError for no archive. */
export function unzip(bytes: Buffer): ReadonlyMap<string, Buffer> {
  let end = bytes.length - endSize
  while (end >= 0 && bytes.readUInt32LE(end) !== endMark) end--
  if (end < 0) throw new ConformanceError(`expected a ZIP archive, got ${bytes.length} other bytes`)
  const files = new Map<string, Buffer>()
  let at = bytes.readUInt32LE(end + 16)
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left--) {
    if (bytes.readUInt32LE(at) !== entryMark)
      throw new ConformanceError(`expected an entry of the ZIP archive at byte ${at}`)
    const method = bytes.readUInt16LE(at + 10)
    const size = bytes.readUInt32LE(at + 20)
    const [name, extra, comment] = [28, 30, 32].map((from) => bytes.readUInt16LE(at + from))
    const path = bytes.toString('utf8', at + 46, at + 46 + (name ?? 0))
    const local = bytes.readUInt32LE(at + 42)
    const from = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28)
    const packed = bytes.subarray(from, from + size)
    files.set(path, method === 0 ? packed : inflateRawSync(packed))
    at += 46 + (name ?? 0) + (extra ?? 0) + (comment ?? 0)
  }
  return files
}
