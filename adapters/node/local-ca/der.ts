// Writes the few ASN.1 types of a certificate in DER (X.690). Reading is OpenSSL's.

/** A value with its tag and length. */
export function tagged(tag: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const content = Buffer.concat(parts)
  return Buffer.concat([Buffer.of(tag, ...lengthOctets(content.length)), content])
}

export const sequence = (...parts: readonly Uint8Array[]) => tagged(0x30, ...parts)
export const set = (...parts: readonly Uint8Array[]) => tagged(0x31, ...parts)
export const octetString = (bytes: Uint8Array) => tagged(0x04, bytes)
export const utf8String = (text: string) => tagged(0x0c, Buffer.from(text))
export const isTrue = tagged(0x01, Buffer.of(0xff))

/** Explicit when `content` is a whole value, else the implicit tag of a string. */
export const explicit = (tag: number, ...content: readonly Uint8Array[]) =>
  tagged(0xa0 | tag, ...content)
export const implicit = (tag: number, content: Uint8Array) => tagged(0x80 | tag, content)

/** A number that is not negative, from its big-endian bytes. */
export function integer(bytes: Uint8Array): Uint8Array {
  const first = bytes.findIndex((byte) => byte !== 0)
  const digits = first < 0 ? Buffer.of(0) : bytes.subarray(first)
  const sign = (digits[0] ?? 0) >= 0x80 ? Buffer.of(0) : Buffer.alloc(0)
  return tagged(0x02, sign, digits)
}

/** `unused`: how many of the last bits don't count. */
export const bitString = (bytes: Uint8Array, unused = 0) => tagged(0x03, Buffer.of(unused), bytes)

/** An object identifier in dots. */
export function objectIdentifier(dotted: string): Uint8Array {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  return tagged(0x06, Buffer.from([first * 40 + second, ...rest].flatMap(base128)))
}

/** Wall time in ms, cut to seconds: UTCTime through 2049, GeneralizedTime from 2050 (RFC 5280, 4.1.2.5). */
export function time(ms: number): Uint8Array {
  const iso = new Date(ms).toISOString()
  const digits = iso.replace(/\..*$/, '').replace(/\D/g, '')
  return iso < '2050'
    ? tagged(0x17, Buffer.from(`${digits.slice(2)}Z`))
    : tagged(0x18, Buffer.from(`${digits}Z`))
}

function lengthOctets(length: number): number[] {
  if (length < 0x80) return [length]
  const octets: number[] = []
  for (let left = length; left > 0; left >>>= 8) octets.unshift(left & 0xff)
  return [0x80 | octets.length, ...octets]
}

function base128(value: number): number[] {
  const octets = [value & 0x7f]
  for (let left = value >>> 7; left > 0; left >>>= 7) octets.unshift(0x80 | (left & 0x7f))
  return octets
}
