import { inflateSync } from 'node:zlib'

/** Bytes of a WOFF header and of an entry of its directory (WOFF 1.0, 3 and 4). */
const woffHeader = 44
const woffEntry = 20
/** The same of an OpenType font. */
const sfntHeader = 12
const sfntEntry = 16

/**
 * The OpenType font that a WOFF holds; any other font as it is. Readers of fonts inflate a table of a WOFF each time that
 * they look at a glyph of it. Throws a RangeError or a zlib error for a damaged one.
 */
export function openTypeOf(font: Buffer): Buffer {
  if (font.toString('latin1', 0, 4) !== 'wOFF') return font
  const count = font.readUInt16BE(12)
  const tables = Array.from({ length: count }, (_, at) => {
    const entry = woffHeader + at * woffEntry
    const offset = font.readUInt32BE(entry + 4)
    const packed = font.subarray(offset, offset + font.readUInt32BE(entry + 8))
    const length = font.readUInt32BE(entry + 12)
    return {
      tag: font.subarray(entry, entry + 4),
      checksum: font.subarray(entry + 16, entry + 20),
      data: packed.length < length ? inflateSync(packed) : packed,
    }
  })
  const power = Math.floor(Math.log2(count))
  const head = Buffer.alloc(sfntHeader + count * sfntEntry)
  font.copy(head, 0, 4, 8)
  head.writeUInt16BE(count, 4)
  head.writeUInt16BE(16 * 2 ** power, 6)
  head.writeUInt16BE(power, 8)
  head.writeUInt16BE(16 * (count - 2 ** power), 10)
  const pieces: Buffer[] = [head]
  let offset = head.length
  for (const [at, { tag, checksum, data }] of tables.entries()) {
    const entry = sfntHeader + at * sfntEntry
    tag.copy(head, entry)
    checksum.copy(head, entry + 4)
    head.writeUInt32BE(offset, entry + 8)
    head.writeUInt32BE(data.length, entry + 12)
    const padding = Buffer.alloc((4 - (data.length % 4)) % 4)
    pieces.push(data, padding)
    offset += data.length + padding.length
  }
  return Buffer.concat(pieces)
}
