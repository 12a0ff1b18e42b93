const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const outside = 64
const values: Uint8Array = new Uint8Array(128).fill(outside)
for (let value = 0; value < alphabet.length; value++) values[alphabet.charCodeAt(value)] = value

/** Standard padded base64 (RFC 4648 4). */
export function encodeBase64(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += 3) {
    const left = bytes.length - at
    const group = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0)
    text += alphabet.charAt(group >> 18) + alphabet.charAt((group >> 12) & 63)
    text += left > 1 ? alphabet.charAt((group >> 6) & 63) : '='
    text += left > 2 ? alphabet.charAt(group & 63) : '='
  }
  return text
}

/** Base64 with the URL-safe alphabet, unpadded (RFC 4648 5). */
export function base64Url(bytes: Uint8Array): string {
  return encodeBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/** The bytes of canonical padded base64; null for any text that `encodeBase64` would not have made. */
export function decodeBase64(text: string): Uint8Array | null {
  if (text.length % 4 !== 0) return null
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  const end = text.length - padding
  const bytes = new Uint8Array((text.length / 4) * 3 - padding)
  let group = 0
  let bits = 0
  let written = 0
  for (let at = 0; at < end; at++) {
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

/** The bytes of unpadded base64url; null for any text that `base64Url` would not have made. */
export function decodeBase64Url(text: string): Uint8Array | null {
  if (/[+/=]/.test(text)) return null
  const padding = '='.repeat((4 - (text.length % 4)) % 4)
  return decodeBase64(text.replaceAll('-', '+').replaceAll('_', '/') + padding)
}
