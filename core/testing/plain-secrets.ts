import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js'
import type {
  DeviceClaims,
  Passwords,
  Sealer,
  SessionClaims,
  SessionTokens,
} from '../base/ports/secrets.ts'

const utf8 = new TextEncoder()
const tagLength = 32
const headerLength = 9

/** The bytes that lead what `plainSealer` seals under this key. */
export function plainSealerHeader(key: string): Uint8Array {
  return concatBytes(Uint8Array.of(1), sha256(utf8.encode(key)).subarray(0, 8))
}

/** Scrambles and tags, so that a dump shows no secret and what was changed or moved is refused. For tests alone. */
export function plainSealer(key = 'test key', previous: readonly string[] = []): Sealer {
  const keys = [key, ...previous].map((text) => ({ text, header: plainSealerHeader(text) }))
  const headerOf = (sealed: Uint8Array) => bytesToHex(sealed.subarray(0, headerLength))
  const salted = (label: string, under: string, context: string) =>
    utf8.encode(JSON.stringify([label, under, context]))

  function scramble(bytes: Uint8Array, under: string, context: string): Uint8Array {
    const pad = sha256(salted('pad', under, context))
    return bytes.map((byte, at) => byte ^ (pad[at % pad.length] ?? 0))
  }

  return {
    seal(plain, context) {
      const tag = sha256(concatBytes(salted('tag', key, context), plain))
      return concatBytes(plainSealerHeader(key), tag, scramble(plain, key, context))
    },
    open(sealed, context) {
      const under = keys.find(({ header }) => bytesToHex(header) === headerOf(sealed))?.text
      if (under === undefined) throw new Error('what was sealed lies under none of the keys given')
      const bodyFrom = headerLength + tagLength
      const plain = scramble(sealed.subarray(bodyFrom), under, context)
      const tag = sha256(concatBytes(salted('tag', under, context), plain))
      if (bytesToHex(tag) !== bytesToHex(sealed.subarray(headerLength, bodyFrom)))
        throw new Error(`what was sealed does not open as ${JSON.stringify(context)}`)
      return plain
    },
    isCurrent: (sealed) => headerOf(sealed) === bytesToHex(plainSealerHeader(key)),
  }
}

/** Quick hashes in PHC form. For tests alone. */
export function plainPasswords(): Passwords {
  const phc = (password: string) => `$plain$${bytesToHex(sha256(utf8.encode(password)))}`
  return {
    hash: async (password) => phc(password),
    verify: async (password, stored) => stored !== null && stored === phc(password),
  }
}

/** Tokens that show their claims and carry a tag. For tests alone. */
export function plainSessionTokens(key = 'test key'): SessionTokens {
  const tag = (claims: string) => bytesToHex(sha256(utf8.encode(JSON.stringify([key, claims]))))
  const issue = (kind: string, claims: object) => {
    const text = bytesToHex(utf8.encode(JSON.stringify({ kind, ...claims })))
    return `${text}.${tag(text)}`
  }
  function verify<T extends { readonly expiresAt: number }>(
    kind: string,
    token: string,
    now: number,
  ): T | null {
    const [text = '', given] = token.split('.')
    if (given !== tag(text)) return null
    const { kind: named, ...claims } = JSON.parse(new TextDecoder().decode(hexToBytes(text)))
    return named === kind && now < claims.expiresAt * 1000 ? claims : null
  }
  return {
    issue: async (claims) => issue('session', claims),
    verify: async (token, now) => verify<SessionClaims>('session', token, now),
    issueDevice: async (claims) => issue('device', claims),
    verifyDevice: async (token, now) => verify<DeviceClaims>('device', token, now),
  }
}
