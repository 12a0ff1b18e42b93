import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js'
import type { Passwords, Sealer, SessionClaims, SessionTokens } from '../ports/secrets.ts'

const utf8 = new TextEncoder()
const tagLength = 32

/** Scrambles and tags, so that a dump shows no secret and what was changed or moved is refused. For tests alone. */
export function plainSealer(key = 'test key'): Sealer {
  const salted = (label: string, context: string) =>
    utf8.encode(JSON.stringify([label, key, context]))

  function scramble(bytes: Uint8Array, context: string): Uint8Array {
    const pad = sha256(salted('pad', context))
    return bytes.map((byte, at) => byte ^ (pad[at % pad.length] ?? 0))
  }

  return {
    seal(plain, context) {
      const tag = sha256(concatBytes(salted('tag', context), plain))
      return concatBytes(tag, scramble(plain, context))
    },
    open(sealed, context) {
      const plain = scramble(sealed.subarray(tagLength), context)
      const tag = sha256(concatBytes(salted('tag', context), plain))
      if (bytesToHex(tag) !== bytesToHex(sealed.subarray(0, tagLength)))
        throw new Error(`what was sealed does not open as ${JSON.stringify(context)}`)
      return plain
    },
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
  return {
    issue: async (claims) => {
      const text = bytesToHex(utf8.encode(JSON.stringify(claims)))
      return `${text}.${tag(text)}`
    },
    verify: async (token, now) => {
      const [text = '', given] = token.split('.')
      if (given !== tag(text)) return null
      const claims: SessionClaims = JSON.parse(new TextDecoder().decode(hexToBytes(text)))
      return now < claims.expiresAt * 1000 ? claims : null
    },
  }
}
