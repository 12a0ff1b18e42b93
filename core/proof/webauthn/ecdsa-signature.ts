const [integer, sequence] = [0x02, 0x30]

/**
 * R and S of a P-256 signature in DER (RFC 3279 2.2.3), 32 bytes each, joined as WebCrypto has them; null for any other
 * encoding of them than DER. S may be in the upper half of the order: authenticators do not care.
 */
export function ecdsaSignature(der: Uint8Array): Uint8Array<ArrayBuffer> | null {
  const [tag, length] = der
  // Two integers of at most 33 bytes: every length is one byte.
  if (tag !== sequence || length !== der.length - 2 || length > 70) return null
  const joined = new Uint8Array(64)
  let at = 2
  for (const end of [32, 64]) {
    const [kind, count = 0] = der.subarray(at, at + 2)
    const bytes = der.subarray(at + 2, at + 2 + count)
    if (kind !== integer || bytes.length !== count || !isPositive(bytes)) return null
    const digits = bytes[0] === 0 ? bytes.subarray(1) : bytes
    if (digits.length > 32) return null
    joined.set(digits, end - digits.length)
    at += 2 + count
  }
  return at === der.length ? joined : null
}

/** A DER integer above zero: a zero in front only where the next bit is set. */
function isPositive([first = 0x80, second]: Uint8Array): boolean {
  return first < 0x80 && (first > 0 || (second ?? 0) >= 0x80)
}
