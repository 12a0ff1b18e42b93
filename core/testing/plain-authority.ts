import { concatBytes, hexToBytes } from '@noble/hashes/utils.js'
import type { TimeStampAuthority } from '../base/ports/time-stamps.ts'

const utf8 = new TextEncoder()

/** An element of DER; its content as hex, text in ASCII or elements. */
function der(tag: number, ...parts: readonly (string | Uint8Array)[]): Uint8Array {
  const content = concatBytes(
    ...parts.map((part) => (typeof part === 'string' ? hexToBytes(part) : part)),
  )
  const { length } = content
  const size = length < 0x80 ? [length] : [0x82, length >> 8, length & 0xff]
  return concatBytes(Uint8Array.of(tag, ...size), content)
}

/** An answer of the form of RFC 3161 over a SHA-256 digest, at `at` (ms); nobody signed it. For tests alone. */
export function unsignedTimeStamp(
  digest: Uint8Array,
  at: number,
  { status = '00', nonce = [] }: { readonly status?: string; readonly nonce?: Uint8Array[] } = {},
): Uint8Array {
  const time = new Date(at).toISOString().replaceAll(/[-:T]|\.000(?=Z)/g, '')
  const sha256 = der(0x30, der(0x06, '608648016503040201'), der(0x05))
  const info = der(
    0x30,
    der(0x02, '01'),
    der(0x06, '2a0304'),
    der(0x30, sha256, der(0x04, digest)),
    der(0x02, '07'),
    der(0x18, utf8.encode(time)),
    ...nonce.map((bytes) => der(0x02, bytes)),
  )
  const held = der(0x30, der(0x06, '2a864886f70d0109100104'), der(0xa0, der(0x04, info)))
  const signed = der(0x30, der(0x02, '03'), der(0x31, sha256), held, der(0x31))
  const token = der(0x30, der(0x06, '2a864886f70d010702'), der(0xa0, signed))
  return der(0x30, der(0x30, der(0x02, status)), token)
}

/** A time-stamping authority that signs nothing. For tests alone. */
export function plainAuthority(now: () => number): TimeStampAuthority {
  return {
    stamp: async (digest) => {
      if (digest.length !== 32) throw new TypeError(`expected 32 bytes, got ${digest.length}`)
      return unsignedTimeStamp(digest, now())
    },
  }
}
