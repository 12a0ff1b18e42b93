import { decodeBase64, encodeBase64, SigningKeyError } from '@countersign/core/signing'
import fc from 'fast-check'
import { expect, expectEqual } from '../assert.ts'
import { type Group, thrown } from './group.ts'
import { mixedOrder, offCurveKeys, rfc4231, rfc8032, smallOrderKeys, unhex } from './vectors.ts'

const utf8 = new TextEncoder()
const seed = fc.uint8Array({ minLength: 32, maxLength: 32 })
/** Around the sizes at which an implementation may change its way. */
const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 300 }),
  fc.integer({ min: 16_200, max: 16_400 }).map((length) => new Uint8Array(length).fill(length)),
)
const ascii = fc.string({
  unit: fc.integer({ min: 33, max: 126 }).map((code) => String.fromCharCode(code)),
  maxLength: 80,
})

/** L, the order of the base point, little-endian (RFC 8032 5.1). */
const order = unhex('edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010')

export const primitiveTests: Group = (it, { primitives, runs }) => {
  it('SHA-256 of abc (FIPS 180-4)', () => {
    expectEqual(
      encodeBase64(primitives.sha256(utf8.encode('abc'))),
      'ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=',
      'digest',
    )
  })

  for (const { key, data, mac } of rfc4231)
    it(`HMAC-SHA-256 of RFC 4231, key of ${key.length / 2} bytes, data of ${data.length}`, () => {
      const hmac = primitives.hmacSha256(unhex(key))
      for (const at of [0, 3, data.length]) {
        const [prefix, rest] = [data.slice(0, at), utf8.encode(data.slice(at))]
        expectEqual(hmac(prefix, rest, 'hex'), mac, 'hex')
        expectEqual(hmac(prefix, rest, 'base64'), encodeBase64(unhex(mac)), 'base64')
      }
    })

  it('a MAC covers prefix and bytes as one text, whatever their sizes', () => {
    fc.assert(
      fc.property(seed, ascii, bytes, (key, prefix, rest) => {
        const hmac = primitives.hmacSha256(key)
        const whole = hmac('', joined(prefix, rest), 'hex')
        expectEqual(hmac(prefix, rest, 'hex'), whole, 'in two pieces')
        expectEqual(primitives.hmacSha256(key)(prefix, rest, 'hex'), whole, 'prepared anew')
      }),
      { numRuns: runs },
    )
  })

  for (const vector of rfc8032)
    it(`Ed25519 of RFC 8032 7.1, ${vector.name}`, () => {
      const message = unhex(vector.message)
      const publicKey = primitives.ed25519PublicKey(unhex(vector.seed))
      expectEqual(Uint8Array.from(publicKey), unhex(vector.publicKey), 'public key')
      const signature = primitives.ed25519Signer(unhex(vector.seed))('', message)
      expectEqual(Uint8Array.from(signature), unhex(vector.signature), 'signature')
      expect(primitives.ed25519Verifier(publicKey)('', message, signature), 'not verified')
    })

  it('what is signed in two pieces verifies in one, and no other message does', () => {
    fc.assert(
      fc.property(seed, ascii, bytes, (key, prefix, rest) => {
        const verify = primitives.ed25519Verifier(primitives.ed25519PublicKey(key))
        const signature = primitives.ed25519Signer(key)(prefix, rest)
        expect(verify('', joined(prefix, rest), signature), 'not verified')
        expect(!verify(`${prefix}.`, rest, signature), 'another message verified')
      }),
      { numRuns: runs },
    )
  })

  it('no bit of a signature can change, and no length is an exception', () => {
    const verify = primitives.ed25519Verifier(primitives.ed25519PublicKey(unhex(rfc8032[1].seed)))
    const signature = unhex(rfc8032[1].signature)
    fc.assert(
      fc.property(fc.nat(511), (bit) => {
        const changed = signature.slice()
        changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
        expect(!verify('', unhex('72'), changed), `verified with bit ${bit} flipped`)
      }),
      { numRuns: runs },
    )
    for (let length = 0; length <= 130; length++)
      if (length !== 64) {
        const cut = new Uint8Array(length)
        cut.set(signature.subarray(0, length))
        expect(!verify('', unhex('72'), cut), `verified ${length} bytes`)
      }
  })

  it('S + L is no second signature of the same message (RFC 8032 8.4)', () => {
    for (const vector of rfc8032) {
      const signature = unhex(vector.signature)
      let carry = 0
      for (const [at, digit] of order.entries()) {
        const sum = (signature[32 + at] ?? 0) + digit + carry
        signature[32 + at] = sum
        carry = sum >> 8
      }
      const verify = primitives.ed25519Verifier(unhex(vector.publicKey))
      expect(!verify('', unhex(vector.message), signature), `verified, ${vector.name}`)
    }
  })

  for (const { name, publicKey, message, signature, valid } of mixedOrder)
    it(`${name}: ${valid ? 'valid' : 'refused'}`, () => {
      expectEqual(
        primitives.ed25519Verifier(unhex(publicKey))('', unhex(message), unhex(signature)),
        valid,
        'verdict',
      )
    })

  it('public keys of small order, off the curve or in a second encoding are refused', () => {
    for (const key of smallOrderKeys) refused(key, ['weak_public_key', 'invalid_public_key'])
    for (const key of offCurveKeys) refused(key, ['invalid_public_key'])
    // p to 2^255 - 1: y again, in a second encoding.
    for (let low = 0xed; low <= 0xff; low++)
      for (const high of ['7f', 'ff'])
        refused(`${low.toString(16)}${'ff'.repeat(30)}${high}`, ['invalid_public_key'])
    for (const length of [0, 31, 33, 64]) refused('00'.repeat(length), ['invalid_length'])
  })

  function refused(key: string, codes: readonly string[]): void {
    const { code } = thrown(
      SigningKeyError,
      () => primitives.ed25519Verifier(unhex(key)),
      `the key ${key}`,
    )
    expect(codes.includes(code), `the key ${key}: expected ${codes}, got ${code}`)
  }

  it('a prepared key does not follow the array that it was made from', () => {
    const secret = new Uint8Array(32).fill(7)
    const publicKey = primitives.ed25519PublicKey(secret)
    const mac = primitives.hmacSha256(secret)
    const sign = primitives.ed25519Signer(secret)
    const given = publicKey.slice()
    const verify = primitives.ed25519Verifier(given)
    const before = mac('', secret.slice(), 'hex')
    const message = secret.slice()
    secret.fill(0)
    given.fill(0)
    expectEqual(mac('', message, 'hex'), before, 'MAC')
    expect(verify('', message, sign('', message)), 'signature')
  })

  it('base64 has one form: what decodes is what encodes', () => {
    const alphabet = [...'ABZaz059+/=-_ \n.\u00e9\u0411']
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...alphabet), maxLength: 12 }), (text) => {
        const decoded = decodeBase64(text)
        if (decoded) expectEqual(encodeBase64(decoded), text, 'encoded again')
      }),
      { numRuns: runs * 20 },
    )
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (given) => {
        expectEqual(decodeBase64(encodeBase64(given)), given, 'decoded')
      }),
      { numRuns: runs * 4 },
    )
    for (const text of [
      'AB==',
      'AAB=',
      'A===',
      '====',
      'AAAAA',
      'AA',
      'AA=A',
      ' AAAA',
      'AAA\u0100',
    ])
      expectEqual(decodeBase64(text), null, JSON.stringify(text))
  })
}

function joined(prefix: string, rest: Uint8Array): Uint8Array {
  return Uint8Array.of(...utf8.encode(prefix), ...rest)
}
