/** The reflected polynomial of ZIP and Ethernet (ISO 3309). */
const polynomial = 0xedb88320

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ polynomial : crc >>> 1
  return crc
})

/** CRC-32 of bytes that follow others whose CRC is `before`, 0 at the start. */
export function crc32(piece: Uint8Array, before: number): number {
  let crc = ~before
  for (let at = 0; at < piece.length; at++)
    crc = (crc >>> 8) ^ (table[(crc ^ (piece[at] ?? 0)) & 0xff] ?? 0)
  return ~crc >>> 0
}
