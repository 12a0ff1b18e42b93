import type { Cipher } from '../../base/ports/cipher.ts'
import type { Random } from '../../base/ports/random.ts'

const format = 1
const nonceBytes = 12
const tagBytes = 16
const utf8 = new TextEncoder()

/** Seals bytes into a frame: format `01`, nonce (12), ciphertext, tag (16). */
export function sealFrame(
  ports: { readonly cipher: Cipher; readonly random: Random },
  key: Uint8Array,
  plain: Uint8Array,
  additional: string,
): Uint8Array {
  const nonce = ports.random.bytes(nonceBytes)
  const frame = ports.cipher.encrypt({
    key,
    nonce,
    plain,
    additional: utf8.encode(additional),
    room: 1 + nonceBytes,
  })
  frame[0] = format
  frame.set(nonce, 1)
  return frame
}

/** The plain bytes of a frame; null when it was sealed under another key or for another place, or was changed. */
export function openFrame(
  cipher: Cipher,
  key: Uint8Array,
  frame: Uint8Array,
  additional: string,
): Uint8Array | null {
  if (frame.length < 1 + nonceBytes + tagBytes || frame[0] !== format) return null
  return cipher.decrypt({
    key,
    nonce: frame.subarray(1, 1 + nonceBytes),
    sealed: frame.subarray(1 + nonceBytes),
    additional: utf8.encode(additional),
  })
}
