interface Alphabet {
  /** The character of each value. */
  readonly characters: string
  /** The value of each character, `outside` of others. */
  readonly values: Uint8Array
}

const outside = 64

function alphabetOf(last: string): Alphabet {
  const characters = `ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789${last}`
  const values = new Uint8Array(128).fill(outside)
  for (let value = 0; value < characters.length; value++)
    values[characters.charCodeAt(value)] = value
  return { characters, values }
}

const standard = alphabetOf('+/')
const urlSafe = alphabetOf('-_')

/** Without padding. */
function encode(bytes: Uint8Array, { characters }: Alphabet): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += 3) {
    const left = bytes.length - at
    const group = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0)
    text += characters.charAt(group >> 18) + characters.charAt((group >> 12) & 63)
    if (left > 1) text += characters.charAt((group >> 6) & 63)
    if (left > 2) text += characters.charAt(group & 63)
  }
  return text
}

/** Of the first `length` characters, which are no padding. */
function decode(text: string, length: number, { values }: Alphabet): Uint8Array | null {
  // No number of bytes leaves one character.
  if (length % 4 === 1) return null
  const bytes = new Uint8Array((length * 3) >> 2)
  let group = 0
  let bits = 0
  let written = 0
  for (let at = 0; at < length; at++) {
    const value = values[text.charCodeAt(at)] ?? outside
    if (value === outside) return null
    group = ((group << 6) | value) & 0xffff
    bits += 6
    if (bits >= 8) {
      bits -= 8
      bytes[written++] = group >> bits
    }
  }
  // Bits left over are zero in the one canonical form (RFC 4648 3.5): `AB==` would decode like `AA==`.
  return (group & ((1 << bits) - 1)) === 0 ? bytes : null
}

/** Standard padded base64 (RFC 4648 4). */
export function encodeBase64(bytes: Uint8Array): string {
  const text = encode(bytes, standard)
  return text.padEnd(Math.ceil(text.length / 4) * 4, '=')
}

/** Base64 with the URL-safe alphabet, unpadded (RFC 4648 5). */
export function base64Url(bytes: Uint8Array): string {
  return encode(bytes, urlSafe)
}

/** The bytes of canonical padded base64; null for any text that `encodeBase64` would not have made. */
export function decodeBase64(text: string): Uint8Array | null {
  if (text.length % 4 !== 0) return null
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  return decode(text, text.length - padding, standard)
}

/** The bytes of unpadded base64url; null for any text that `base64Url` would not have made. */
export function decodeBase64Url(text: string): Uint8Array | null {
  return decode(text, text.length, urlSafe)
}
