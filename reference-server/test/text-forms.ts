/**
 * A text as it stands among other bytes in UTF-8, in UTF-16 of either order, in hex, and in base64 and base64url, whose
 * characters depend on how many bytes stand in front.
 */
export function formsOf(text: string): readonly Buffer[] {
  const plain = Buffer.from(text)
  const wide = Buffer.from(text, 'utf16le')
  const hex = plain.toString('hex')
  const coded = [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), plain])
    const whole = bytes.subarray(0, bytes.length - (bytes.length % 3))
    // Without the characters that neighbours have a part in.
    const from = before === 0 ? 0 : 4
    return [whole.toString('base64').slice(from), whole.toString('base64url').slice(from)]
  })
  const texts = new Set([hex, hex.toUpperCase(), ...coded])
  return [plain, wide, Buffer.from(wide).swap16(), ...[...texts].map((each) => Buffer.from(each))]
}
