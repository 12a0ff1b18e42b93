const digits = Uint8Array.from('0123456789abcdef', (digit) => digit.charCodeAt(0))
const ascii = new TextDecoder()

/** Writes bytes as lower-case hex, in ASCII, from `at` on; answers where it ends. */
export function writeHex(bytes: Uint8Array, into: Uint8Array, at: number): number {
  let end = at
  for (const byte of bytes) {
    into[end++] = digits[byte >> 4] as number
    into[end++] = digits[byte & 15] as number
  }
  return end
}

/** Lower-case hex of bytes; made at once, for a text that is joined of many leaves each of them to be collected. */
export function hexOf(bytes: Uint8Array): string {
  const written = new Uint8Array(2 * bytes.length)
  writeHex(bytes, written, 0)
  return ascii.decode(written)
}
